package compare

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// judge holds the figures of a change against the bounds of review: what rises is judged by the most that it can be, what
// falls by the least.
func (c *comparison) judge(q QueueChange) {
	for _, r := range q.Jobs {
		for _, f := range r.Figures {
			if !f.was.comparable(f.is) {
				continue
			}
			rise, fall := growth(f.was.hi, f.is.hi), growth(f.was.low, f.is.low)
			if bound, is := c.bounds.MaxIncrease[f.Name]; is && rise > bound+tiny {
				c.breach(q, r, f, rise, "max_increase", bound)
			}
			if bound, is := c.bounds.MaxDecrease[f.Name]; is && fall < -bound-tiny {
				c.breach(q, r, f, fall, "max_decrease", bound)
			}
		}
	}
}

// tiny is less than any percentage that a spec can have.
const tiny = 1e-5

func (c *comparison) breach(q QueueChange, r Row, f Figure, change float64, bound string, allowed float64) {
	c.breaches = append(c.breaches, fmt.Sprintf("%s of %s (%s): %s → %s, %s: review.%s allows %s",
		label(f.Name), listed(q.Queues, 3), r.who(), f.Before, f.After, signed(change), bound, percent(allowed)))
}

// who are the jobs of a row, in words.
func (r Row) who() string {
	var parts []string
	for _, j := range r.Of {
		who := "every counter used up"
		if len(j.Ends) > 0 {
			who = listed(j.Ends, 6)
		}
		if len(j.Tiers) > 0 {
			who = j.tiers() + ": " + who
		}
		parts = append(parts, who)
	}
	return strings.Join(parts, "; ")
}

// tiers are their names, in words.
func (j Jobs) tiers() string {
	named := slices.DeleteFunc(slices.Clone(j.Tiers), func(tier string) bool { return tier == "" })
	words := ""
	switch len(named) {
	case 0:
	case 1:
		words = "tier " + named[0]
	default:
		words = "tiers " + strings.Join(named, ", ")
	}
	switch {
	case len(named) == len(j.Tiers):
		return words
	case words == "":
		return "no tier"
	}
	return "no tier, " + words
}

// listed is a list in a line: what is beyond so many is counted.
func listed(names []string, most int) string {
	if len(names) > most+1 {
		return fmt.Sprintf("%s and %d more", strings.Join(names[:most], ", "), len(names)-most)
	}
	return strings.Join(names, ", ")
}

func signed(change float64) string {
	switch {
	case math.IsInf(change, 1):
		return "from nothing"
	case change >= 9:
		return "×" + strconv.FormatFloat(math.Round(1+change), 'f', -1, 64)
	case change > 0:
		return "+" + percent(change)
	}
	return "−" + percent(-change)
}

// percent is a share in words: 0.5 is 50%.
func percent(share float64) string {
	x := share * 100
	if x >= 10 || x == math.Trunc(x) {
		return strconv.FormatFloat(math.Round(x), 'f', -1, 64) + "%"
	}
	return strconv.FormatFloat(math.Round(x*10)/10, 'f', -1, 64) + "%"
}

// labels are the figures in words.
var labels = map[string]string{
	"outcome": "outcome", "budget": "counts as one of its", "ladder": "ladder", "attempts": "attempts", "longest_wait": "longest wait",
	"window": "window", "dead_reason": "dead reason", "retry_after": "Retry-After", "handler_time": "handler time", "messages": "messages",
	"requests": "requests", "cost": "cost", "runs": "handler runs", "ledger_rows": "ledger rows",
}

func label(figure string) string { return labels[figure] }
