package lint

import (
	"fmt"

	"github.com/retryc/retryc/generator/internal/plan"
	"github.com/retryc/retryc/spec/diag"
	"github.com/retryc/retryc/templates"
)

// nameTaken keeps the product's names apart from those of the worker in the same package, and from those that it
// may have one day.
var nameTaken = Rule{"RC233", "name_taken", func(p *plan.Plan, list *diag.List) {
	ids := templates.IdentifiersOf(p.Ledger.Dialect.Name)
	imports := map[string]string{}
	for _, n := range p.Names.All {
		if n.Scope == plan.Imports {
			imports[n.Name] = n.Path
		}
	}
	told := map[diag.Pos]bool{} // a queue becomes several names, and one finding is enough
	for _, n := range p.Names.All {
		problem := ""
		switch _, declared := ids.Declared[n.Name]; {
		case n.Scope == plan.Package && (declared || emitted[n.Name]):
			problem = "which belongs to the worker itself"
		case n.Scope == plan.Package && ids.Imported[n.Name] != "":
			problem = "which the worker imports " + ids.Imported[n.Name] + " under"
		case n.Scope == plan.Package && imports[n.Name] != "":
			problem = "which " + imports[n.Name] + " is imported under"
		case n.Scope == plan.Package && reservedFor(n.Name) != "":
			problem = "which a later version of the worker may need: " + reservedFor(n.Name)
		case n.Scope == plan.Imports && (declared || emitted[n.Name]):
			problem = "which belongs to the worker itself"
		}
		if problem == "" || told[n.At.Pos] || p.Names.Refused[n.At.Pos] {
			continue
		}
		told[n.At.Pos] = true
		d := list.Errorf("RC233", n.At.Pos, n.At.Width, "%s becomes the Go name %s, %s", n.What, n.Name, problem)
		d.Hint = nameHint(n)
	}
}}

// emitted are the names that come out of every spec, beside those of the copied files.
var emitted = map[string]bool{
	"New": true, "Open": true, "policy": true, "statements": true, "jobTable": true, "ledgerTable": true,
	"retention": true, "purging": true, "purgeTable": true, "redrive": true, "redriving": true,
	"TestCaps": true, "TestClasses": true, "TestKeys": true, "TestLadderOfAJob": true, "TestLadders": true, "TestLimits": true,
	"TestRetryAfter": true, "TestTenants": true,
}

func nameHint(n plan.Named) string {
	switch {
	case n.Scope == plan.Imports:
		return fmt.Sprintf("match %s by its status, its SQLSTATE or a message, or declare an error here", n.Path)
	case n.Fixed:
		return "rename it"
	}
	return "set go_name to another name, or rename it"
}
