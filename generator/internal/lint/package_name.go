package lint

import (
	"go/token"
	"strings"

	"github.com/retryc/retryc/generator/internal/plan"
	"github.com/retryc/retryc/spec/diag"
)

// packageName refuses names that no package to import can have.
var packageName = Rule{"RC332", "package_name", func(p *plan.Plan, list *diag.List) {
	at := p.Spec.Generate.Package
	problem := ""
	switch {
	case !at.Set():
	case token.IsKeyword(at.V):
		problem = "it is a keyword of Go"
	case at.V == "main":
		problem = "no other package can import it"
	case strings.HasSuffix(at.V, "_test"):
		problem = "_test is for tests"
	}
	if problem != "" {
		list.Errorf("RC332", at.Pos, at.Width, "the package cannot be called %s: %s", at.V, problem).Hint = "choose another name, such as jobs"
	}
}}
