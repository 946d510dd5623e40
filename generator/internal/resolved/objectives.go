package resolved

import (
	"strconv"
	"time"

	"github.com/retryc/retryc/generator/internal/plan"
)

// Objectives are what slo asks to be told of a queue. What it does not ask for is null or false.
type Objectives struct {
	FailureVisibleWithin *Duration `json:"failure_visible_within"` // after the last success, while attempts only fail
	OldestMessage        *Duration `json:"oldest_message"`         // how long a job may wait for a worker
	DeadLetterGrowth     *string   `json:"dead_letter_growth"`     // how many may die, such as 5/h
	NewFingerprint       bool      `json:"new_fingerprint"`        // a job that died of an error which no dead job has
	LastRung             bool      `json:"last_rung"`              // jobs that wait for the last attempt they have
}

// objectivesOf answers nil where the plan has no slo.
func objectivesOf(p *plan.Plan, o plan.Objectives) *Objectives {
	if p.AlertsDir == "" {
		return nil
	}
	out := &Objectives{NewFingerprint: o.NewFingerprint, LastRung: o.LastRung}
	if o.FailureVisibleWithin.Set() {
		out.FailureVisibleWithin = &Duration{o.FailureVisibleWithin.V}
	}
	if o.OldestMessage.Set() {
		out.OldestMessage = &Duration{o.OldestMessage.V}
	}
	if o.DeadLetterGrowth.Set() {
		unit := "/h"
		if o.DeadLetterGrowth.V.Per > time.Hour {
			unit = "/d"
		}
		text := strconv.Itoa(o.DeadLetterGrowth.V.Jobs) + unit
		out.DeadLetterGrowth = &text
	}
	return out
}
