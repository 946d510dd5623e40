package generator

import (
	"sync"

	"github.com/retryc/retryc/generator/internal/compare"
	"github.com/retryc/retryc/generator/internal/output"
	"github.com/retryc/retryc/generator/internal/plan"
	"github.com/retryc/retryc/spec"
	"github.com/retryc/retryc/spec/diag"
)

// Source is the text of a spec, and its name for a person.
type Source struct {
	Name string
	Text []byte
}

// Difference is what two specs mean otherwise. Where one of them has an error there is no report.
type Difference struct {
	Base, Head *Result // what was found in each
	Report     *compare.Report
}

// Diff compares two specs by what they mean.
func Diff(base, head Source) *Difference {
	var d Difference
	var plans [2]*plan.Plan
	var both sync.WaitGroup
	for i, side := range []struct {
		source Source
		result **Result
	}{{base, &d.Base}, {head, &d.Head}} {
		both.Go(func() { plans[i], *side.result = planOf(side.source) })
	}
	both.Wait()
	if d.Base.Diagnostics.HasErrors() || d.Head.Diagnostics.HasErrors() {
		return &d
	}
	old, now := queuesOf(plans[0]), queuesOf(plans[1])
	opts := compare.Options{Base: base.Name, Head: head.Name, Notes: output.Notes(old, now)}
	if output.Incompatible(old, now) {
		opts.Kinds = append(opts.Kinds, "payload_incompatible")
	}
	d.Report = compare.Policies(plans[0], plans[1], opts)
	return &d
}

// planOf resolves a spec without the folder that it is in: which migrations are there is no matter of what it means.
func planOf(s Source) (*plan.Plan, *Result) {
	doc, findings := spec.Parse(s.Name, s.Text)
	p, more := plan.New(doc)
	findings = append(findings, more...)
	findings.Sort()
	return p, &Result{Document: doc, Diagnostics: withoutWarnings(findings)}
}

// withoutWarnings leaves out what does not keep a spec from having a meaning.
func withoutWarnings(list diag.List) (errors diag.List) {
	for _, d := range list {
		if d.Severity == diag.Error {
			errors = append(errors, d)
		}
	}
	return errors
}
