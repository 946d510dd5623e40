package emit

import (
	"fmt"
	"strconv"

	"github.com/dave/jennifer/jen"

	"github.com/retryc/retryc/generator/internal/plan"
)

// policy makes policy_gen.go: retry.yaml as data, in its order.
func policy(p *plan.Plan) ([]File, error) {
	hash, err := policyHash(p)
	if err != nil {
		return nil, err
	}
	return goFileWith(p, "policy_gen.go", func(f *jen.File) {
		forAll(p, hash)(f)
		retention(f, p)
		redrive(f, p)
	}, observedQueues(p, queueTables(p, true)))
}

// observedQueues adds, where somebody observes them:
//
//	// observedQueues are all of them.
//	var observedQueues = []*queueTable{&merchantDocThumbnailsQueue, &weeklyDigestQueue}
func observedQueues(p *plan.Plan, s *goText) *goText {
	if p.Observer == nil {
		return s
	}
	var all []string
	for _, q := range p.Queues {
		all = append(all, "&"+q.Var+",")
	}
	s.doc("observedQueues are all of them.")
	s.lines(block("var observedQueues = []*queueTable{", all...)...)
	return s
}

// forAll is what holds for all queues. Without a hash, it is part of what the hash is made of.
func forAll(p *plan.Plan, hash string) func(f *jen.File) {
	return func(f *jen.File) {
		sentinels(f, p)
		policyVar(f, p, hash)
		for _, l := range p.Ladders {
			ladder(f, l)
		}
	}
}

// sentinels makes the error values that the spec declares:
//
//	// ErrSourceDeleted is for handlers to return, as it is or wrapped: it is of the class gone, which is permanent.
//	var ErrSourceDeleted = errors.New("source deleted")
func sentinels(f *jen.File, p *plan.Plan) {
	for _, s := range p.Sentinels {
		f.Line()
		f.Add(comment(fmt.Sprintf("%s is for handlers to return, as it is or wrapped: it is of the class %s, which is %s.", s.GoName, s.Class.Name.V, s.Class.Outcome)))
		f.Var().Id(s.GoName).Op("=").Qual("errors", "New").Call(jen.Lit(sentinelText(s.GoName)))
	}
}

// policyVar makes:
//
//	// policy is what retry.yaml says for all queues. Its hash is on every row.
//	var policy = policyTable{
//		hash: "2f0c8a1b77de",
//
//		caps: caps{
//			attempts: 6,
//			…
//		},
//
//		classes: []errorClass{
//			{
//				name:    "gone",
//				outcome: permanent,
//				when:    []condition{httpStatus(404, 410), is(ErrSourceDeleted)},
//			},
//		},
//		unmatched: transient,
//
//		tiers: map[string]*ladder{
//			"free": &shortLadder,
//		},
//
//		detail: detailTable{max: 2048, redact: []redaction{redactEmail, redactCardNumber}},
//		poll:   time.Second,
//		grace:  25 * time.Second,
//	}
func policyVar(f *jen.File, p *plan.Plan, hash string) {
	parts := []jen.Code{
		keyed("hash", jen.Lit(hash)),
		air(keyed("caps", capsOf(p.Caps))),
	}
	unmatched := keyed("unmatched", expr(p.Unmatched))
	if len(p.Classes) > 0 {
		var classes []jen.Code
		for _, c := range p.Classes {
			classes = append(classes, class(c))
		}
		parts = append(parts, air(keyed("classes", jen.Index().Id("errorClass").Add(lines(classes...)))), unmatched)
	} else {
		parts = append(parts, air(unmatched))
	}
	if len(p.Sentinels) > 0 {
		var declared []jen.Code
		for _, s := range p.Sentinels {
			declared = append(declared, jen.Id(s.GoName))
		}
		parts = append(parts, keyed("declared", jen.Index().Error().Add(wrapped(declared, 3))))
	}
	if p.Tenants != nil && len(p.Tenants.Ladders) > 0 {
		var tiers []jen.Code
		for _, t := range p.Tenants.Ladders {
			tiers = append(tiers, keyed(quoted(t.Tier.V), jen.Op("&").Id(t.Ladder.GoName)))
		}
		parts = append(parts, air(keyed("tiers", jen.Map(jen.String()).Op("*").Id("ladder").Add(lines(tiers...)))))
	}
	parts = append(parts, air(keyed("detail", detail(p))), keyed("poll", duration(p.Poll)), keyed("grace", duration(p.Grace)))
	f.Line()
	f.Add(comment("policy is what retry.yaml says for all queues. Its hash is on every row."))
	f.Var().Id("policy").Op("=").Id("policyTable").Add(lines(parts...))
}

// air leaves a line free above code.
func air(code jen.Code) jen.Code { return jen.Line().Add(code) }

func capsOf(c plan.Caps) jen.Code {
	return jen.Id("caps").Add(lines(
		keyed("attempts", jen.Lit(c.Attempts.V)),
		keyed("throttles", jen.Lit(c.Throttles.V)),
		keyed("crashes", jen.Lit(c.Crashes.V)),
		keyed("interrupts", jen.Lit(c.Interrupts.V)),
		keyed("snoozes", jen.Lit(c.Snoozes.V)),
		keyed("delay", duration(c.Delay.V)),
		keyed("retryAfter", duration(c.RetryAfter.V)),
		keyed("window", duration(c.Window.V)),
	))
}

func detail(p *plan.Plan) jen.Code {
	parts := []jen.Code{keyed("max", jen.Lit(p.Ledger.DetailMax))}
	if len(p.Ledger.Redact) > 0 {
		var redact []jen.Code
		for _, r := range p.Ledger.Redact {
			if r.Pattern != "" {
				redact = append(redact, jen.Id("redactPattern").Call(jen.Lit(r.Name), raw(r.Pattern)))
			} else {
				redact = append(redact, jen.Id(builtinRedactions[r.Name]))
			}
		}
		parts = append(parts, keyed("redact", jen.Index().Id("redaction").Add(wrapped(redact, 3))))
	}
	return jen.Id("detailTable").Values(parts...)
}

// builtinRedactions are the functions of the patterns that retry.yaml can name.
var builtinRedactions = map[string]string{"email": "redactEmail", "card_number": "redactCardNumber", "bearer": "redactBearer"}

// ladder makes:
//
//	// gentleLadder is the ladder gentle, exponential: first 1m, factor 2, cap 1h.
//	var gentleLadder = ladder{
//		rungs: []time.Duration{time.Minute, 2 * time.Minute, 4 * time.Minute, 8 * time.Minute, 16 * time.Minute},
//		min:   0.75,
//		max:   1.25,
//	}
func ladder(f *jen.File, l *plan.Ladder) {
	doc := fmt.Sprintf("%s is the ladder %s.", l.GoName, l.Name.V)
	if l.Comment != "" {
		doc = fmt.Sprintf("%s is the ladder %s, %s.", l.GoName, l.Name.V, l.Comment)
	}
	var rungs []jen.Code
	for _, r := range l.Rungs {
		rungs = append(rungs, duration(r.V))
	}
	f.Line()
	f.Add(comment(doc))
	f.Var().Id(l.GoName).Op("=").Id("ladder").Add(lines(
		keyed("rungs", jen.Index().Qual("time", "Duration").Add(wrapped(rungs, 6))),
		keyed("min", jen.Lit(l.Min)),
		keyed("max", jen.Lit(l.Max)),
	))
}

// retention makes, where there is one, what decides no attempt and so is no part of the hash:
//
//	// retention is how long finished jobs are kept, from their end.
//	var retention = retentionTable{attempts: 9600 * time.Hour, keys: 9600 * time.Hour}
func retention(f *jen.File, p *plan.Plan) {
	r := p.Ledger.Retention
	if r == nil {
		return
	}
	f.Line()
	f.Add(comment("retention is how long finished jobs are kept, from their end."))
	f.Var().Id("retention").Op("=").Id("retentionTable").Values(keyed("attempts", duration(r.Attempts.V)), keyed("keys", duration(r.Keys)))
}

// redrive makes, where there is such a section, what is no part of the hash either:
//
//	// redrive is how dead jobs are sent back.
//	var redrive = redriveTable{
//		batch: 10,
//		…
//		queues: []*queueTable{&merchantDocThumbnailsQueue},
//	}
func redrive(f *jen.File, p *plan.Plan) {
	r := p.Redrive
	if r == nil {
		return
	}
	var queues []jen.Code
	for _, q := range p.Queues {
		queues = append(queues, jen.Op("&").Id(q.Var))
	}
	parts := []jen.Code{
		keyed("batch", jen.Lit(r.Batch)), keyed("every", duration(r.Every)), keyed("canary", jen.Lit(r.Canary)),
		keyed("sameError", jen.Lit(r.SameError)), keyed("errorShare", jen.Lit(r.ErrorShare)), keyed("queueAge", duration(r.QueueAge)),
		keyed("maxGenerations", jen.Lit(r.MaxGenerations)),
	}
	if keys := p.Ledger.Retention; keys != nil {
		parts = append(parts, keyed("keys", duration(keys.Keys)))
	}
	f.Line()
	f.Add(comment("redrive is how dead jobs are sent back."))
	f.Var().Id("redrive").Op("=").Id("redriveTable").Add(lines(append(parts, keyed("queues", jen.Index().Op("*").Id("queueTable").Add(wrapped(queues, 3))))...))
}

// queueTables makes, for each queue:
//
//	// merchantDocThumbnailsQueue is the queue merchant-doc-thumbnails.
//	var merchantDocThumbnailsQueue = queueTable{
//		name:        "merchant-doc-thumbnails",
//		schema:      "8c1f…",
//		policy:      &policy,
//		ladder:      &standardLadder,
//		concurrency: 8,
//		timeout:     15 * time.Second,
//		lease:       time.Minute,
//	}
func queueTables(p *plan.Plan, withSchema bool) *goText {
	var s goText
	for _, q := range p.Queues {
		rows := [][]string{{"name:", quoted(q.Name.V) + ","}}
		if withSchema { // what a payload holds is no part of the policy, nor of its hash
			rows = append(rows, []string{"schema:", quoted(schemaHash(q.Payload)) + ","})
		}
		rows = append(rows,
			[]string{"policy:", "&policy,"},
			[]string{"ladder:", "&" + q.Ladder.GoName + ","},
			[]string{"concurrency:", strconv.Itoa(q.Concurrency) + ","},
			[]string{"timeout:", durationText(&s, q.Timeout.V) + ","},
			[]string{"lease:", durationText(&s, q.Lease.V) + ","},
		)
		if b := q.Backend; withSchema && b != nil { // nor is how its workers are told
			rows = append(rows, []string{"connect:", quoted("Connect"+q.GoName) + ","})
			if b.Carried {
				rows = append(rows, []string{"carried:", "true,"})
			}
			if b.DeadLetter {
				rows = append(rows, []string{"deadLetter:", "true,"})
			}
		}
		s.doc(fmt.Sprintf("%s is the queue %s.", q.Var, q.Name.V))
		s.lines(block("var "+q.Var+" = queueTable{", aligned(rows)...)...)
	}
	return &s
}
