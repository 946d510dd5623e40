package emit

import (
	"path"

	"github.com/retryc/retryc/generator/internal/plan"
)

// grants makes grants_gen.sql, where the dialect has roles: what a worker, a producer and a reader may do.
func grants(p *plan.Plan) ([]File, error) {
	if !p.Ledger.Dialect.Roles {
		return nil, nil
	}
	text, err := fill(p, "grants", functionsDataOf(p))
	if err != nil {
		return nil, err
	}
	return []File{{Path: path.Join(p.GoDir, "grants_gen.sql"), Data: []byte(text)}}, nil
}
