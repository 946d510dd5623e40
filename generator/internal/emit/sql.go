package emit

import (
	"fmt"
	"path"
	"strings"
	"sync"
	"text/template"

	"github.com/retryc/retryc/generator/internal/migrate"
	"github.com/retryc/retryc/generator/internal/plan"
	"github.com/retryc/retryc/templates"
)

// sqlData is what the SQL of a dialect is filled in with.
type sqlData struct {
	Job, Attempt, DeadLetter string
	Tenants                  bool   // jobs have a tenant_id and a tier
	Brokers                  bool   // runs have the message that began them
	Traces                   bool   // jobs have the traceparent of their producer
	Purge                    string // the table of purges; empty: there is no retention
	Redrive                  string // the table of redrives; empty: there are none
	Columns                  []sqlColumn
	Goose                    bool // mark statements that have a semicolon in them
}

// sqlColumn is a column that is copied from the payload.
type sqlColumn struct {
	Name     string
	SQLType  string
	FromJSON string // the expression for its value in the document of an enqueue
	Index    bool
}

// sqlDataOf is the tables of the plan, for a program.
func sqlDataOf(p *plan.Plan) sqlData {
	data := dataOf(p, p.Schema())
	data.Goose = false
	return data
}

// dataOf is a schema for a migration.
func dataOf(p *plan.Plan, s migrate.Schema) sqlData {
	data := sqlData{Job: s.Job, Attempt: s.Attempt, DeadLetter: s.DeadLetter, Tenants: s.Tenants, Brokers: s.Brokers, Traces: s.Traces, Purge: s.Purge, Redrive: s.Redrive, Goose: p.MigrationsFormat == "goose"}
	for _, c := range s.Columns {
		data.Columns = append(data.Columns, columnOf(p, c))
	}
	return data
}

func columnOf(p *plan.Plan, c migrate.Column) sqlColumn {
	t := p.Ledger.Dialect.Types[c.Type]
	return sqlColumn{Name: c.Name, SQLType: t.Name, FromJSON: fmt.Sprintf(t.FromJSON, c.Name), Index: c.Index}
}

// fill executes one template of the dialect's SQL.
func fill(p *plan.Plan, name string, data any) (string, error) {
	set, err := sqlTemplates(p)
	if err != nil {
		return "", err
	}
	var b strings.Builder
	if err := set.ExecuteTemplate(&b, name, data); err != nil {
		return "", err
	}
	return b.String(), nil
}

// sqlTemplates parses the SQL of the plan's dialect, once a process.
func sqlTemplates(p *plan.Plan) (*template.Template, error) {
	d := p.Ledger.Dialect
	if set, there := parsedSQL.Load(d.Name); there {
		return set.(*template.Template), nil
	}
	set, err := template.New("").Funcs(template.FuncMap{
		"pad":     func(s string, n int) string { return fmt.Sprintf("%-*s", n, s) },
		"literal": d.Literal,
		"list":    func(all ...string) []string { return all },
	}).ParseFS(templates.FS, path.Join("sql", d.Name, "*.sql"))
	if err != nil {
		return nil, err
	}
	parsedSQL.Store(d.Name, set)
	return set, nil
}

var parsedSQL sync.Map // name of the dialect → *template.Template
