// Package generator turns a retry.yaml into files: load, plan, lint, emit and output, in that order.
package generator

import (
	"fmt"
	"path/filepath"

	"github.com/retryc/retryc/generator/internal/emit"
	"github.com/retryc/retryc/generator/internal/lint"
	"github.com/retryc/retryc/generator/internal/output"
	"github.com/retryc/retryc/generator/internal/plan"
	"github.com/retryc/retryc/spec"
)

// Options of Generate.
type Options struct {
	DryRun bool // say what would be written, and write nothing
}

// Generate writes what the spec at path asks for, beside it. Nothing is written if the spec has an error, or if a file
// stands in the way that only a person can settle. The error is for what is broken on this machine; what is wrong in
// the spec or with a file is in the result.
func Generate(path string, opts Options) (*Result, error) {
	step := output.Sync
	if opts.DryRun {
		step = output.Diff
	}
	return run(path, step)
}

// Check compares what is on disk with what the spec at path asks for, and writes nothing.
func Check(path string) (*Result, error) { return run(path, output.Diff) }

func run(path string, step func(root string, w output.Wanted) (output.Report, error)) (*Result, error) {
	result, p, h, err := resolve(path)
	if err != nil || result.Diagnostics.HasErrors() {
		return result, err
	}
	emitted, err := emit.Files(p)
	if err != nil {
		return nil, fmt.Errorf("cannot generate from %s: %w", path, err)
	}
	wanted := output.Wanted{Spec: filepath.Base(path), Queues: queuesOf(p)}
	for _, f := range emitted {
		wanted.Files = append(wanted.Files, output.File(f))
	}
	wanted.Refused = append(h.broken, h.forked(wanted.Files)...)
	report, err := step(filepath.Dir(path), wanted)
	if err != nil {
		return nil, err
	}
	result.Drivers = p.Drivers()
	result.OpenMakesTables = p.Ledger.Dialect.MakesTables
	result.DropsLast = dropsLast(p)
	result.Tables = len(h.folder.Record.Migrations) > 0
	result.add(report)
	result.Notes = append(result.Notes, changeNotes(p)...)
	return result, nil
}

// Lint is what all stages find in the spec at path. It looks at no file that is generated but the migrations, which some findings
// are about.
func Lint(path string) (*Result, error) {
	result, _, _, err := resolve(path)
	return result, err
}

// resolve runs the stages that find something, each of them whatever those before it have found.
func resolve(path string) (*Result, *plan.Plan, history, error) {
	doc, findings, err := spec.Load(path)
	if err != nil {
		return nil, nil, history{}, err
	}
	var h history
	if !findings.HasErrors() { // else it is not known where they are
		if h, err = readHistory(path, doc); err != nil {
			return nil, nil, history{}, err
		}
	}
	p, more := plan.Next(doc, h.folder)
	findings = append(findings, more...)
	p, more = lint.Check(p)
	kept, ignored := lint.Ignore(p, append(findings, more...))
	return &Result{Document: doc, Diagnostics: kept, Ignored: ignored}, p, h, nil
}
