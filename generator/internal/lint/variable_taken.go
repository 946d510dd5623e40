package lint

import (
	"github.com/retryc/retryc/generator/internal/plan"
	"github.com/retryc/retryc/spec/diag"
)

// variableTaken refuses one variable of the environment for two things: no text is both the URL of a server and an API key.
var variableTaken = Rule{"RC342", "variable_taken", func(p *plan.Plan, list *diag.List) {
	first := map[string]variable{}
	for _, v := range variables(p) {
		before, taken := first[v.name]
		switch {
		case !taken:
			first[v.name] = v
		case before.what != v.what:
			d := list.Errorf("RC342", v.pos, v.width, "the variable %s holds %s here, and %s elsewhere", v.name, v.what, before.what)
			d.Hint = "name another variable in one of them"
			d.Related = &diag.Related{Pos: before.pos, Width: before.width, Message: "it is here"}
		}
	}
}}

// variable is one of the environment, and what it holds.
type variable struct {
	name, what string
	pos        diag.Pos
	width      int
}

// variables are those of all backends, in the order of the queues, and of all webhooks.
func variables(p *plan.Plan) (found []variable) {
	for _, q := range p.Queues {
		if q.Backend == nil {
			continue
		}
		b := q.Backend.Spec
		for _, v := range []variable{
			{b.QueueURLEnv.V, "the URL of a queue at Amazon SQS", b.QueueURLEnv.Pos, b.QueueURLEnv.Width},
			{b.URLEnv.V, "the URL of a RabbitMQ server", b.URLEnv.Pos, b.URLEnv.Width},
			{b.KeyEnv.V, "an API key of Infrai", b.KeyEnv.Pos, b.KeyEnv.Width},
			{b.BaseURLEnv.V, "the address of Infrai", b.BaseURLEnv.Pos, b.BaseURLEnv.Width},
			{b.PushEnv.V, "a secret of Infrai's signatures", b.PushEnv.Pos, b.PushEnv.Width},
		} {
			if v.pos.Valid() {
				found = append(found, v)
			}
		}
	}
	for _, w := range p.Webhooks {
		for _, s := range w.Spec.Signature.Secrets {
			found = append(found, variable{s.V, "a secret of webhooks", s.Pos, s.Width})
		}
	}
	return found
}
