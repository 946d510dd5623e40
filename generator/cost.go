package generator

import (
	"slices"

	"github.com/retryc/retryc/generator/internal/resolved"
)

// Cost is what one job that never succeeds takes until it is dead, at most.
type Cost struct {
	Queue string
	Tier  string   // "": of none, or the queue has no tiers
	Ends  []string // how all its attempts end; none: it uses up every counter
	Takes resolved.Takes
}

// Costs are those of the queue of the spec at path with every way in which attempts can end, or of all its queues at worst where
// queue is "". With them comes the currency, if there is one. There are none if the spec has an error; that is in the result.
func Costs(path, queue string) (costs []Cost, currency string, result *Result, err error) {
	result, p, _, err := resolve(path)
	if err != nil {
		return nil, "", nil, err
	}
	if result.Diagnostics.HasErrors() {
		return nil, "", result, nil
	}
	policy := resolved.Of(p)
	found := false
	for _, q := range policy.Queues {
		if queue != "" && q.Name != queue {
			continue
		}
		found = true
		for _, t := range q.Tiers {
			if queue != "" {
				costs = append(costs, costsOf(q.Name, t)...)
			}
			costs = append(costs, Cost{Queue: q.Name, Tier: t.Tier, Takes: t.Worst.Takes})
		}
	}
	if queue != "" && !found {
		return nil, "", nil, noQueue(path, queue, p.Queues)
	}
	if policy.Prices != nil {
		currency = policy.Prices.Currency
	}
	return costs, currency, result, nil
}

// costsOf joins the ways to end that take the same.
func costsOf(queue string, t resolved.Tier) (costs []Cost) {
	for _, e := range t.Ends {
		name := e.Class
		if e.Crash {
			name += " (crash)"
		}
		i := slices.IndexFunc(costs, func(c Cost) bool { return same(c.Takes, e.Takes) })
		if i < 0 {
			costs = append(costs, Cost{Queue: queue, Tier: t.Tier, Takes: e.Takes})
			i = len(costs) - 1
		}
		costs[i].Ends = append(costs[i].Ends, name)
	}
	return costs
}

// same compares what jobs take but for what it costs, which follows from it.
func same(a, b resolved.Takes) bool {
	a.Cost, b.Cost = nil, nil
	return a == b
}
