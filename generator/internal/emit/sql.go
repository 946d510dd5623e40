package emit

import (
	"fmt"
	"path"
	"strings"
	"sync"
	"text/template"

	"github.com/retryc/retryc/generator/internal/plan"
	"github.com/retryc/retryc/templates"
)

// sqlData is what the SQL of a dialect is filled in with.
type sqlData struct {
	Job, Attempt, DeadLetter string
	Tenants                  bool // jobs have a tenant_id and a tier
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

func sqlDataOf(p *plan.Plan) sqlData {
	l := &p.Ledger
	data := sqlData{Job: l.JobTable, Attempt: l.AttemptTable, DeadLetter: l.DeadLetterView, Tenants: p.Tenants != nil}
	for _, c := range l.Columns {
		t := l.Dialect.Types[c.Type]
		data.Columns = append(data.Columns, sqlColumn{Name: c.Name.V, SQLType: t.Name, FromJSON: fmt.Sprintf(t.FromJSON, c.Name.V), Index: c.Index})
	}
	return data
}

// fill executes one template of the dialect's SQL.
func fill(p *plan.Plan, name string, data any) (string, error) {
	set, err := sqlTemplates("sql/" + p.Ledger.Dialect.Name)
	if err != nil {
		return "", err
	}
	var b strings.Builder
	if err := set.ExecuteTemplate(&b, name, data); err != nil {
		return "", err
	}
	return b.String(), nil
}

// sqlTemplates parses the SQL of one folder, once a process.
func sqlTemplates(folder string) (*template.Template, error) {
	if set, there := parsedSQL.Load(folder); there {
		return set.(*template.Template), nil
	}
	pad := func(s string, n int) string { return fmt.Sprintf("%-*s", n, s) }
	set, err := template.New("").Funcs(template.FuncMap{"pad": pad}).ParseFS(templates.FS, path.Join(folder, "*.sql"))
	if err != nil {
		return nil, err
	}
	parsedSQL.Store(folder, set)
	return set, nil
}

var parsedSQL sync.Map // folder → *template.Template
