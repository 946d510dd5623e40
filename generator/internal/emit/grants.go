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
	data := grantsData{sqlData: sqlDataOf(p)}
	if p.Ledger.Dialect.Functions && len(p.Queues) > 0 {
		for _, name := range []string{"utc(text)", "check(json, text[])", "key(json, text[])", "job_id(text, text)"} {
			data.Functions = append(data.Functions, p.Ledger.Prefix+"retryc_"+name)
		}
		for _, q := range p.Queues {
			data.Functions = append(data.Functions, q.SQLFunction+"(json, text)")
		}
	}
	text, err := fill(p, "grants", data)
	if err != nil {
		return nil, err
	}
	return []File{{Path: path.Join(p.GoDir, "grants_gen.sql"), Data: []byte(text)}}, nil
}

type grantsData struct {
	sqlData
	Functions []string // with the types of what they take
}
