// Package lint holds the rules about a resolved plan, one file a rule: what is well formed, and yet cannot be what
// its author wants.
package lint

import (
	"time"

	"github.com/retryc/retryc/generator/internal/plan"
	"github.com/retryc/retryc/spec/diag"
)

// Rule is one kind of mistake.
type Rule struct {
	Code  string
	Name  string // of its file, and of its folder in testdata
	Check func(p *plan.Plan, list *diag.List)
}

// All is every rule, by code.
var All = []Rule{
	nameTaken,
	rungAboveCap, exponentialCap, rungUnreachable, ladderUnused, windowTooShort, noJitter,
	classShadowed, classBuiltin, permanentExtras, payloadTransient, crashBudget, classUnreached, throttledBlind, statusOutcome,
	timeoutAboveWindow, leaseShort, tierLadders, noQueues, retentionShort, leaseAboveWindow, unkeyedEffect, tierUnnamed, secretOnRows, downstreamLimit,
	outputFolder, packageName,
	manyMessages, variableTaken, brokerKept,
	outlivesMessage, oldDeadLetter, fewReceives, heldMessage, coarseJitter, unkeyedMessage, purgedMessage,
	unsignedKey, webhookForgotten,
	soonAlert, noObjective,
}

// Check runs every rule. The plan comes back as it was.
func Check(p *plan.Plan) (*plan.Plan, diag.List) {
	var list diag.List
	for _, r := range All {
		r.Check(p, &list)
	}
	list.Sort()
	return p, list
}

// capIs is the other place of a finding about a cap; nil where the cap is the default.
func capIs(pos diag.Pos, width int, name string) *diag.Related {
	if !pos.Valid() {
		return nil
	}
	return &diag.Related{Pos: pos, Width: width, Message: name + " is here"}
}

// short is a duration as retry.yaml writes it.
func short(d time.Duration) string { return plan.Duration(d) }
