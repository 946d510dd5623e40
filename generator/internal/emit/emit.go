// Package emit turns a plan into the files of the emitted package and its migrations. It is pure: the same plan gives
// the same bytes, with no clock, disk or map order in between.
package emit

import (
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/retryc/retryc/generator/internal/plan"
)

// File is one file to write. Once marks one that is never rewritten: a migration. One that was written before has no Data,
// and is known by the Sum of its statements. A file that continues what is on disk has that text as its From.
type File struct {
	Path string // slash-separated, below the folder of the spec
	Data []byte
	Once bool
	Sum  string
	From []byte
}

// Artefact makes some of the files of a plan.
type Artefact func(*plan.Plan) ([]File, error)

// All is every artefact.
var All = []Artefact{doc, payloads, queues, webhooks, policy, store, runtime, migrations, functions, grants, typescript, alerts, policyTests}

// Files makes every file of the plan, in the order of All. The artefacts are made side by side.
func Files(p *plan.Plan) ([]File, error) {
	made, errs := make([][]File, len(All)), make([]error, len(All))
	var all sync.WaitGroup
	for i, artefact := range All {
		all.Go(func() { made[i], errs[i] = artefact(p) })
	}
	all.Wait()
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	files := slices.Concat(made...)
	taken := map[string]bool{}
	for _, f := range files {
		if taken[f.Path] {
			return nil, fmt.Errorf("two files would be written to %s", f.Path)
		}
		taken[f.Path] = true
	}
	return files, nil
}
