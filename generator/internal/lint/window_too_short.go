package lint

import (
	"time"

	"github.com/retryc/retryc/generator/internal/plan"
	"github.com/retryc/retryc/spec/diag"
)

// windowTooShort warns of rungs that come after caps.window even where every wait is as short as its jitter allows.
var windowTooShort = Rule{"RC305", "window_too_short", func(p *plan.Plan, list *diag.List) {
	window := p.Caps.Window
	for _, l := range p.Ladders {
		sum := time.Duration(0)
		for k, r := range l.Rungs {
			sum += shortest(l, r.V, p.Caps.Delay.V)
			if sum <= window.V {
				continue
			}
			d := list.Warnf("RC305", r.Pos, r.Width, "caps.window, %s, is over before rung %d of the ladder %q ends", short(window.V), k+1, l.Name.V)
			d.Hint = "raise caps.window, or shorten the ladder"
			d.Related = capIs(window.Pos, window.Width, "caps.window")
			break
		}
	}
}}

// shortest is the least that the rung can wait: a range of jitter that reaches over caps.delay is scaled down.
func shortest(l *plan.Ladder, rung, limit time.Duration) time.Duration {
	low, high := float64(rung)*l.Min, float64(rung)*l.Max
	if high > float64(limit) {
		low *= float64(limit) / high
	}
	return time.Duration(low)
}
