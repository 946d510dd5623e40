package emit

import (
	"github.com/dave/jennifer/jen"

	"github.com/retryc/retryc/generator/internal/plan"
)

func doc(p *plan.Plan) ([]File, error) {
	return goFile(p, "doc_gen.go", func(f *jen.File) { f.PackageComment("Package " + p.Package + " x.") })
}
