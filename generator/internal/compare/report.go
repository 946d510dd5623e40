// Package compare says how two policies differ in what they mean for jobs, not in how they are written.
package compare

import (
	"cmp"
	"maps"
	"slices"

	"github.com/retryc/retryc/generator/internal/plan"
	"github.com/retryc/retryc/generator/internal/resolved"
)

// Form is the number of the form of the report's JSON.
const Form = 1

// Report is every difference. Its JSON is a contract as that of a policy is.
type Report struct {
	Form       int           `json:"retryc"`
	Base       string        `json:"base"` // as a person names it
	Head       string        `json:"head"`
	Errors     []ErrorChange `json:"errors"`     // that are of another class, or whose class has another outcome
	Queues     []QueueChange `json:"queues"`     // those that change in the same way are one
	Settings   []Setting     `json:"settings"`   // of all queues
	Migrations []string      `json:"migrations"` // that the next retryc generate writes, where those of the base have been written
	InFlight   []string      `json:"in_flight"`  // what becomes of jobs that are enqueued by then
	Refused    []string      `json:"refused"`    // what review does not let through
}

// Same reports whether the two mean the same.
func (r *Report) Same() bool {
	return len(r.Errors)+len(r.Queues)+len(r.Settings)+len(r.Migrations)+len(r.InFlight) == 0
}

// ErrorChange is errors that are taken for something else.
type ErrorChange struct {
	Errors []string `json:"errors"`
	Before Taken    `json:"before"`
	After  Taken    `json:"after"`
}

// Taken is what an error is taken for.
type Taken struct {
	Class   string `json:"class"`
	Outcome string `json:"outcome"`
}

// The kinds of a QueueChange.
const (
	Added   = "added"
	Removed = "removed"
	Changed = "changed"
)

// QueueChange is what changes for some queues.
type QueueChange struct {
	Queues   []string  `json:"queues"`
	Change   string    `json:"change"`   // added, removed or changed
	Jobs     []Row     `json:"jobs"`     // what changes for their jobs
	Settings []Setting `json:"settings"` // what else does: payload.amount.type
}

// Row is figures that change for some jobs.
type Row struct {
	Of      []Jobs   `json:"of"`
	Figures []Figure `json:"figures"`

	quiet bool // it is judged, and another row tells of it
}

// Jobs are those of some tiers whose attempts all end in one of some ways. Worst ones use up every counter.
type Jobs struct {
	Tiers []string `json:"tiers"` // "" is none; empty: jobs of every tier
	Ends  []string `json:"ends"`  // classes, or errors that change their class; empty: the worst
}

// Figure is one figure of a job.
type Figure struct {
	Name   string   `json:"figure"`
	Before string   `json:"before"`
	After  string   `json:"after"`
	Change *float64 `json:"change"` // of the most that it can be; 0.5 is by half more; null: it is no number, or was zero

	was, is value
}

// Setting is a value of the resolved policy. One that is not there is empty.
type Setting struct {
	Path   string `json:"path"`
	Before string `json:"before"`
	After  string `json:"after"`
}

// Options of Policies.
type Options struct {
	Base, Head string   // how a person names them
	Notes      []string // what the payloads and keys of the one mean for jobs of the other
	Kinds      []string // of changes that these notes are about, as review.forbid names them
}

// Policies compares two plans that no stage has found an error in.
func Policies(base, head *plan.Plan, opts Options) *Report {
	prices := cmp.Or(base.Prices, head.Prices)
	c := &comparison{
		base: base, head: head, prices: prices, old: resolvedAt(base, prices), now: resolvedAt(head, prices), bounds: boundsOf(base, head),
		kinds: map[string]bool{},
		report: &Report{
			Form: Form, Base: opts.Base, Head: opts.Head, Errors: []ErrorChange{}, Queues: []QueueChange{}, Settings: []Setting{},
			Migrations: []string{}, InFlight: []string{}, Refused: []string{},
		},
	}
	for _, kind := range opts.Kinds {
		c.kinds[kind] = true
	}
	c.errors()
	c.queues()
	c.settings()
	c.migrations()
	c.inFlight(opts.Notes)
	c.refuse()
	return c.report
}

// comparison is a report in the making.
type comparison struct {
	base, head *plan.Plan
	prices     *plan.Prices
	old, now   *resolved.Policy
	bounds     plan.Review
	report     *Report

	moved    []subject       // errors that are of another class now
	kinds    map[string]bool // of changes that were found, as review.forbid names them
	breaches []string
}

// resolvedAt resolves a plan, and says what it costs at the same prices as the other one: those of the base, or of the head where
// the base has none. Another price is no change of what jobs do.
func resolvedAt(p *plan.Plan, prices *plan.Prices) *resolved.Policy {
	at := *p
	at.Prices = prices
	out := resolved.Of(&at)
	out.Prices = resolved.PricesOf(p.Prices)
	return out
}

// boundsOf are those of the base, so that no change loosens what it is judged by; those of the head where the base has
// none.
func boundsOf(base, head *plan.Plan) plan.Review {
	if base.Spec.Review.Pos.Valid() {
		return base.Review
	}
	return head.Review
}

// forbidden says of each kind of change that review.forbid can name what it is.
var forbidden = map[string]string{
	"queue_removed":        "a queue is gone",
	"key_changed":          "an idempotency key has other fields",
	"payload_incompatible": "jobs that are enqueued already no longer fit their payload",
	"outcome_changed":      "an error is permanent that was transient, or the reverse",
	"data_dropped":         "the next migration drops data",
}

// refuse collects what review does not let through.
func (c *comparison) refuse() {
	for _, kind := range slices.Sorted(maps.Keys(c.kinds)) {
		if slices.Contains(c.bounds.Forbid, kind) {
			c.report.Refused = append(c.report.Refused, forbidden[kind]+": review.forbid has "+kind)
		}
	}
	c.report.Refused = append(c.report.Refused, c.breaches...)
}
