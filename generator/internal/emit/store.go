package emit

import (
	"fmt"
	"go/ast"
	"slices"
	"strings"

	"github.com/dave/jennifer/jen"

	"github.com/retryc/retryc/generator/internal/plan"
	"github.com/retryc/retryc/templates"
)

// store makes statements_gen.go: the SQL of the package.
func store(p *plan.Plan) ([]File, error) {
	groups := []struct {
		needed                  bool
		name, comment, typeName string
	}{
		{true, "statements", "are the SQL of this package. {now} stands for the database's clock.", "sqlText"},
		{p.Ledger.Retention != nil, "purging", "is the SQL of Purge.", "purgeText"},
		{p.Observer != nil, "observing", "is the SQL of those who observe the queues.", "observeText"},
		{p.Redrive != nil, "redriving", "is the SQL of dead letters and redrives.", "redriveText"},
		{p.Brokers(), "announcing", "is the SQL of queues with a broker.", "brokerText"},
		{slices.ContainsFunc(p.Queues, (*plan.Queue).Carried), "carrying", "is the SQL of queues whose messages carry their jobs.", "carryText"},
	}
	fields := make([][]jen.Code, len(groups))
	for i, g := range groups {
		if !g.needed {
			continue
		}
		var err error
		if fields[i], err = statementsOfType(p, g.typeName); err != nil {
			return nil, err
		}
	}
	return goFile(p, "statements_gen.go", func(f *jen.File) {
		for i, g := range groups {
			if g.needed {
				statements(f, g.name, g.comment, g.typeName, fields[i])
			}
		}
	})
}

// statementsOfType are the fields of a struct of statements, each filled in from the template of its name.
func statementsOfType(p *plan.Plan, typeName string) ([]jen.Code, error) {
	data := sqlDataOf(p)
	names, err := statementNames(p.Ledger.Dialect.Name, typeName)
	if err != nil {
		return nil, err
	}
	var fields []jen.Code
	for _, name := range names {
		text, err := fill(p, name, data)
		if err != nil {
			return nil, err
		}
		fields = append(fields, air(keyed(name, raw(strings.TrimSpace(text)))))
	}
	return fields, nil
}

// statements makes the variable of a struct of statements:
//
//	// statements are the SQL of this package. {now} stands for the database's clock.
//	var statements = sqlText{
//
//		migration: `…`,
//
//		present: `…`,
//	}
func statements(f *jen.File, name, what, typeName string, fields []jen.Code) {
	f.Line()
	f.Add(comment(name + " " + what))
	f.Var().Id(name).Op("=").Id(typeName).Add(lines(fields...))
}

// statementNames are the fields of a struct of statements, in the order of the runtime file that declares it for the
// dialect: each is the name of a template of the dialect.
func statementNames(dialect, typeName string) ([]string, error) {
	var names []string
	for _, src := range runtimeSources() {
		if !templates.Of(src.path, dialect) {
			continue
		}
		ast.Inspect(src.syntax, func(n ast.Node) bool {
			t, is := n.(*ast.TypeSpec)
			if !is || t.Name.Name != typeName {
				return true
			}
			for _, field := range t.Type.(*ast.StructType).Fields.List {
				for _, name := range field.Names {
					names = append(names, name.Name)
				}
			}
			return false
		})
	}
	if len(names) == 0 {
		return nil, fmt.Errorf("the runtime declares no %s for the dialect %s", typeName, dialect)
	}
	return names, nil
}
