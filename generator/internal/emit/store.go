package emit

import (
	"fmt"
	"go/ast"
	"strings"

	"github.com/dave/jennifer/jen"

	"github.com/retryc/retryc/generator/internal/plan"
)

// store makes store_gen.go: the statements, and the way in for a program that has a database open.
func store(p *plan.Plan) ([]File, error) {
	data, err := sqlDataOf(p)
	if err != nil {
		return nil, err
	}
	names, err := statementNames(p.Ledger.Dialect.Store[0])
	if err != nil {
		return nil, err
	}
	var fields []jen.Code
	for _, name := range names {
		template := name
		if name == "migration" {
			template = "up"
		}
		text, err := fill(p, template, data)
		if err != nil {
			return nil, err
		}
		fields = append(fields, air(keyed(name, raw(strings.TrimSpace(text)))))
	}
	return goFile(p, "store_gen.go", func(f *jen.File) {
		newStore(f, p)
		statements(f, fields)
	})
}

// newStore makes:
//
//	// New is the store on a database that the program has opened itself. …
//	func New(ctx context.Context, db *sql.DB) (*Store, error) {
//		store := newStore(db, statements, sqliteClock)
//		if err := store.check(ctx); err != nil {
//			return nil, err
//		}
//		return store, nil
//	}
func newStore(f *jen.File, p *plan.Plan) {
	f.Line()
	f.Add(comment("New is the store on a database that the program has opened itself. The migrations in " + p.MigrationsDir +
		" must have been applied: New says so where they are not."))
	f.Func().Id("New").Params(jen.Id("ctx").Qual("context", "Context"), jen.Id("db").Op("*").Qual("database/sql", "DB")).
		Params(jen.Op("*").Id("Store"), jen.Error()).Block(
		jen.Id("store").Op(":=").Id("newStore").Call(jen.Id("db"), jen.Id("statements"), jen.Id(p.Ledger.Dialect.Name+"Clock")),
		jen.If(jen.Err().Op(":=").Id("store").Dot("check").Call(jen.Id("ctx")), jen.Err().Op("!=").Nil()).Block(jen.Return(jen.Nil(), jen.Err())),
		jen.Return(jen.Id("store"), jen.Nil()),
	)
}

// statements makes:
//
//	// statements are the SQL of this package. {now} stands for the database's clock.
//	var statements = sqlText{
//
//		migration: `…`,
//
//		present: `…`,
//	}
func statements(f *jen.File, fields []jen.Code) {
	f.Line()
	f.Add(comment("statements are the SQL of this package. {now} stands for the database's clock."))
	f.Var().Id("statements").Op("=").Id("sqlText").Add(lines(fields...))
}

// statementNames are the fields of sqlText, in the order of the runtime file that declares it: each is the name of a
// template of the dialect.
func statementNames(file string) ([]string, error) {
	for _, src := range runtimeSources() {
		if src.path != file {
			continue
		}
		var names []string
		ast.Inspect(src.syntax, func(n ast.Node) bool {
			t, is := n.(*ast.TypeSpec)
			if !is || t.Name.Name != "sqlText" {
				return true
			}
			for _, field := range t.Type.(*ast.StructType).Fields.List {
				for _, name := range field.Names {
					names = append(names, name.Name)
				}
			}
			return false
		})
		return names, nil
	}
	return nil, fmt.Errorf("there is no runtime file %s", file)
}
