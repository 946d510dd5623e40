package lint

import (
	"github.com/retryc/retryc/generator/internal/plan"
	"github.com/retryc/retryc/spec/diag"
)

// ladderUnused refuses a ladder that nothing names. While a name is wrong or missing somewhere, it may be meant for this
// one.
var ladderUnused = Rule{"RC304", "ladder_unused", func(p *plan.Plan, list *diag.List) {
	if !p.Spec.DefaultLadder.Set() {
		return
	}
	used := map[string]bool{p.Spec.DefaultLadder.V: true}
	for _, c := range p.Classes {
		used[c.Spec.Ladder.V] = true
	}
	for _, q := range p.Queues {
		used[q.Spec.Ladder.V] = true
	}
	for _, t := range p.Spec.Tenants.Ladders {
		used[t.Ladder.V] = true
	}
	delete(used, "")
	for _, l := range p.Ladders {
		delete(used, l.Name.V)
	}
	if len(used) > 0 {
		return
	}
	for _, l := range p.Ladders {
		if !isNamed(p, l) {
			list.Errorf("RC304", l.Name.Pos, l.Name.Width, "nothing uses the ladder %q", l.Name.V).Hint = "name it in a class, a queue, tenants.ladders or default_ladder, or take it out"
		}
	}
}}

func isNamed(p *plan.Plan, l *plan.Ladder) bool {
	if p.DefaultLadder == l || isShared(p, l) {
		return true
	}
	for _, c := range p.Classes {
		if c.Ladder == l {
			return true
		}
	}
	return false
}
