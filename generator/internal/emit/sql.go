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

func sqlDataOf(p *plan.Plan) (sqlData, error) {
	l := &p.Ledger
	data := sqlData{Job: l.JobTable, Attempt: l.AttemptTable, DeadLetter: l.DeadLetterView, Tenants: p.Tenants != nil}
	types, known := columnTypes[l.Dialect.Name]
	if !known {
		return sqlData{}, fmt.Errorf("no column types are known for the dialect %s", l.Dialect.Name)
	}
	for _, c := range l.Columns {
		t := types[c.Type]
		data.Columns = append(data.Columns, sqlColumn{Name: c.Name.V, SQLType: t.name, FromJSON: fmt.Sprintf(t.fromJSON, c.Name.V), Index: c.Index})
	}
	return data, nil
}

// columnType is a type of ledger.columns in one dialect. fromJSON has %s for the column's name.
type columnType struct{ name, fromJSON string }

// columnTypes are by dialect, then by the name that retry.yaml has for the type. In SQLite, a time is milliseconds since
// 1970, as in the other columns of the tables.
var columnTypes = map[string]map[string]columnType{
	"sqlite": {
		"text":      {"text", "value->'columns'->>'%s'"},
		"integer":   {"integer", "value->'columns'->>'%s'"},
		"real":      {"real", "value->'columns'->>'%s'"},
		"boolean":   {"integer", "value->'columns'->>'%s'"},
		"timestamp": {"integer", "cast(round(unixepoch(value->'columns'->>'%s', 'subsec') * 1000) as integer)"},
	},
}

// fill executes one template of the dialect's SQL.
func fill(p *plan.Plan, name string, data sqlData) (string, error) {
	set, err := sqlTemplates(p.Ledger.Dialect.SQL)
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
