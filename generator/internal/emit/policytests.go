package emit

import (
	"github.com/dave/jennifer/jen"

	"github.com/retryc/retryc/generator/internal/plan"
)

// policyTests makes policy_gen_test.go: the policy as tables that a reviewer can read. The waits are
// the runtime's own, asked when the tables are written; what else they expect is reckoned here, from the plan.
func policyTests(p *plan.Plan) ([]File, error) {
	var perQueue goText
	rowsTest(&perQueue, "TestLadderOfAJob", "the class's ladder comes before the tier's, and the tier's before the queue's.",
		"checkChoices", "choiceCase", choiceCases(p))
	rowsTest(&perQueue, "TestKeys", "one key is one job, from a producer in any language.",
		"checkKeys", "keyCase", keyCases(&perQueue, p))
	rowsTest(&perQueue, "TestTenants", "whose a job is.",
		"checkTenants", "tenantCase", tenantCases(&perQueue, p))
	return goFileWith(p, "policy_gen_test.go", func(f *jen.File) {
		tables(f, p)
		table(f, "TestLadders", "how long a job waits after each failure: the least and the longest, jitter included. After the last of them it is dead.",
			"checkLadders", "ladderCase", ladderCases(p), jen.Op("&").Id("policy"))
		table(f, "TestCaps", "how many attempts each counter allows.",
			"checkCaps", "capCase", capCases(p.Caps), jen.Op("&").Id("policy"))
		limits(f, p.Caps)
		table(f, "TestClasses", "what an error is taken for, as it is and wrapped.",
			"checkClasses", "classCase", classCases(p), jen.Op("&").Id("policy"))
		retryAfter(f, p)
	}, &perQueue)
}

// tables makes the names of the tables, which the runtime's tests ask for.
func tables(f *jen.File, p *plan.Plan) {
	f.Add(comment("The tables, for the tests of the worker."))
	names := []jen.Code{
		jen.Id("jobTable").Op("=").Lit(p.Ledger.JobTable),
		jen.Id("ledgerTable").Op("=").Lit(p.Ledger.AttemptTable),
	}
	if r := p.Ledger.Retention; r != nil {
		names = append(names, jen.Id("purgeTable").Op("=").Lit(r.PurgeTable))
	}
	f.Const().Defs(names...)
}

// table makes one test, none where there are no cases:
//
//	// TestCaps: how many attempts each counter allows.
//	func TestCaps(t *testing.T) {
//		checkCaps(t, &policy, []capCase{
//			{failures, 6},
//			{throttles, 20},
//		})
//	}
func table(f *jen.File, name, doc, check, row string, cases []jen.Code, args ...jen.Code) {
	if len(cases) == 0 {
		return
	}
	f.Line()
	f.Add(comment(name + ": " + doc))
	call := append([]jen.Code{jen.Id("t")}, args...)
	call = append(call, jen.Index().Id(row).Add(lines(cases...)))
	f.Func().Id(name).Params(jen.Id("t").Op("*").Qual("testing", "T")).Block(jen.Id(check).Call(call...))
}

// rowsTest is table for rows that are text already.
func rowsTest(s *goText, name, doc, check, row string, cases []string) {
	if len(cases) == 0 {
		return
	}
	s.doc(name + ": " + doc)
	call := block(check+"(t, []"+row+"{", cases...)
	call[len(call)-1] += ")"
	s.lines(block("func "+name+"(t *testing.T) {", call...)...)
}

// limits makes:
//
//	// TestLimits: the longest wait of a ladder, the longest that a server may ask for, and when a job is given up.
//	func TestLimits(t *testing.T) {
//		checkLimits(t, &policy, time.Hour, 6*time.Hour, 48*time.Hour)
//	}
func limits(f *jen.File, c plan.Caps) {
	f.Line()
	f.Add(comment("TestLimits: the longest wait of a ladder, the longest that a server may ask for, and when a job is given up."))
	f.Func().Id("TestLimits").Params(jen.Id("t").Op("*").Qual("testing", "T")).Block(
		jen.Id("checkLimits").Call(jen.Id("t"), jen.Op("&").Id("policy"), duration(c.Delay.V), duration(c.RetryAfter.V), duration(c.Window.V)),
	)
}

// retryAfter makes, where a class keeps the wait that a server asks for:
//
//	// TestRetryAfter: the classes that keep the wait that a server asks for.
//	func TestRetryAfter(t *testing.T) {
//		checkRetryAfter(t, &policy, "throttled")
//	}
func retryAfter(f *jen.File, p *plan.Plan) {
	args := []jen.Code{jen.Id("t"), jen.Op("&").Id("policy")}
	for _, c := range p.Classes {
		if c.RetryAfter {
			args = append(args, jen.Lit(c.Name.V))
		}
	}
	if len(args) == 2 {
		return
	}
	f.Line()
	f.Add(comment("TestRetryAfter: the classes that keep the wait that a server asks for."))
	f.Func().Id("TestRetryAfter").Params(jen.Id("t").Op("*").Qual("testing", "T")).Block(jen.Id("checkRetryAfter").Call(args...))
}

// testFeatures are what the policy tests of the plan call.
func testFeatures(used map[string]bool, p *plan.Plan) {
	for _, c := range p.Classes {
		used["retry_after"] = used["retry_after"] || c.RetryAfter
	}
	for _, q := range p.Queues {
		used["keys"] = used["keys"] || len(q.Key) > 0
		for _, f := range []*plan.Field{q.TenantID, q.Tier} {
			used["tenants"] = used["tenants"] || f != nil
			used["pointer_samples"] = used["pointer_samples"] || f != nil && f.Optional
		}
	}
}
