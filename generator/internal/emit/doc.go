package emit

import (
	"fmt"
	"slices"

	"github.com/dave/jennifer/jen"

	"github.com/retryc/retryc/generator/internal/plan"
)

// doc makes doc_gen.go: what the package is, what it promises, and the policy in words.
func doc(p *plan.Plan) ([]File, error) {
	var text prose
	text.paragraph("Package " + p.Package + " is the job queues of retry.yaml: typed payloads, workers that retry as the policy says, and " +
		"a ledger of every attempt, in the product's own database.")
	use(&text, p)
	promises(&text, p)
	text.heading("The database")
	for _, paragraph := range p.Ledger.Dialect.About {
		text.paragraph(paragraph)
	}
	if p.Brokers() {
		brokersInWords(&text, p)
	}
	redriveInWords(&text, p)
	if p.Observer != nil {
		observedInWords(&text, p)
	}
	policyInWords(&text, p)
	retentionInWords(&text, p)
	text.heading("Whose it is")
	text.paragraph("This package belongs to the repository that it stands in. It needs the standard library, the database's driver " +
		"and what retry.yaml names, and nothing of the generator that wrote it. Change retry.yaml and generate again; what is changed here by hand is lost then.")
	return goFile(p, "doc_gen.go", func(f *jen.File) {
		for _, line := range text.lines {
			f.PackageComment(line)
		}
	})
}

func use(text *prose, p *plan.Plan) {
	text.heading("Use")
	add := "Add jobs from anywhere, alone or in a transaction of your own. "
	if _, carried := atBrokers(p); len(carried) > 0 && len(carried) == len(p.Queues) {
		add = "Add jobs from anywhere. "
	}
	text.paragraph(add + "Work the queues in as many processes as you like.")
	code := []string{fmt.Sprintf("store, err := %s.Open(ctx, %s) // or %s.New, on a database that is open already", p.Package, p.Ledger.Dialect.Opens(), p.Package)}
	if len(p.Queues) > 0 {
		name := p.Package + "." + p.Queues[0].GoName
		if p.Queues[0].Backend != nil {
			code = append(code, fmt.Sprintf("err = %s.Connect%s(ctx, store%s)", p.Package, p.Queues[0].GoName, clientOf(p.Queues[0])))
		}
		code = append(code,
			fmt.Sprintf("receipt, err := %s.Enqueue%s(ctx, store, %s{…})", p.Package, p.Queues[0].GoName, name),
			fmt.Sprintf("err = %s.Run(ctx, store, %sWorker(handle)) // until ctx ends", p.Package, name))
	}
	text.code(code...)
	if slices.ContainsFunc(p.Queues, func(q *plan.Queue) bool { return q.SQLFunction != "" }) {
		text.paragraph("Programs in other languages add jobs with the functions of enqueue_functions_gen.sql.")
	}
	if len(p.Webhooks) > 0 {
		text.paragraph("Serve the deliveries of webhooks: a handler answers 200 once the job of a delivery is committed, and the same event is one job however often it comes. " +
			"It logs why it refuses one, and tells the sender only what is wrong behind a signature that is right.")
		w := p.Webhooks[0]
		text.code("deliveries, err := "+p.Package+"."+w.GoName+"(store, nil) // or with a function that writes what goes with the job",
			`mux.Handle("/hooks/`+w.Name.V+`", deliveries)`)
	}
	if p.Ledger.Dialect.Roles {
		text.paragraph("What each role needs in the database is in grants_gen.sql.")
	}
	text.paragraph("A handler returns nil, or an error that the policy classes. Permanent, RetryAfter and Snooze say what only the handler knows.")
}

func promises(text *prose, p *plan.Plan) {
	keyed := false
	for _, q := range p.Queues {
		keyed = keyed || len(q.Key) > 0
	}
	text.heading("What it promises")
	text.item("Every attempt is one row of " + p.Ledger.AttemptTable + ", numbered, with its outcome, class and error, written when it ends. Rows are never changed.")
	text.item("A handler runs at least once, and again if its process dies before the end is recorded. An effect in the product's own database " +
		"that is registered with OnCommit commits with the attempt that made it, or not at all.")
	if keyed {
		text.item("Jobs with one key are one job, from whichever process and however often it is enqueued.")
	}
	text.item("A permanent error runs once. A transient one climbs its ladder and ends where the ladder or a cap does.")
	text.item("A job whose process dies is taken up by another once its lease is over. It is slowed, and runs with nothing beside it in that process, " +
		"until it succeeds or its crashes are used up. What a process does on a lease that it lost changes nothing.")
	text.item("A handler or an effect that panics or exits, a payload that cannot be decoded and an error of any text are ends like any other.")
	text.item("A job whose payload has fields that this package does not know is put back, as in the middle of a deploy; it uses no attempt.")
	text.item("Stopping a worker costs a job none of its failures.")
	text.item("A job that is given up stays, with its payload and its reason: the view " + p.Ledger.DeadLetterView + " shows it.")
}
