package emit

import "github.com/retryc/retryc/generator/internal/plan"
import "github.com/dave/jennifer/jen"

func policyTests(p *plan.Plan) ([]File, error) { return nil, nil }
// tableNames makes names_gen_test.go, which the runtime's tests need:
//
//	// The tables of this package.
//	const (
//		jobTable    = "job"
//		ledgerTable = "job_attempt"
//	)
func tableNames(p *plan.Plan) ([]File, error) {
	return goFile(p, "names_gen_test.go", func(f *jen.File) {
		f.Add(comment("The tables of this package."))
		f.Const().Defs(
			jen.Id("jobTable").Op("=").Lit(p.Ledger.JobTable),
			jen.Id("ledgerTable").Op("=").Lit(p.Ledger.AttemptTable),
		)
	})
}
func testFeatures(used map[string]bool, p *plan.Plan) {}
