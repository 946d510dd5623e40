package emit

import (
	"fmt"

	"github.com/dave/jennifer/jen"

	"github.com/retryc/retryc/generator/internal/plan"
)

// queues makes queues_gen.go: what a program calls, one-line calls into the runtime.
func queues(p *plan.Plan) ([]File, error) {
	return goFile(p, "queues_gen.go", perQueue(p, func(f *jen.File, q *plan.Queue) {
		enqueues(f, q)
		worker(f, q)
	})...)
}

// enqueues makes:
//
//	// EnqueueMerchantDocThumbnails adds a job to the queue merchant-doc-thumbnails, in a transaction of its own. A second
//	// job with the same event_id is not made: the receipt tells of the first.
//	func EnqueueMerchantDocThumbnails(ctx context.Context, store *Store, payload MerchantDocThumbnails) (Receipt, error) {
//		return enqueueOne(ctx, store, nil, &merchantDocThumbnailsQueue, payload)
//	}
//
// and the same with Tx, in the caller's transaction, and with Many.
func enqueues(f *jen.File, q *plan.Queue) {
	for _, e := range []struct {
		suffix, doc, call string
		tx                bool
	}{
		{suffix: "", call: "enqueueOne", doc: "adds a job to the queue %s, in a transaction of its own." + keyNote(q)},
		{suffix: "Tx", call: "enqueueOne", tx: true, doc: "adds a job to the queue %s in the caller's transaction: both commit, or neither."},
		{suffix: "Many", call: "enqueueMany", doc: "adds jobs to the queue %s in one transaction: all of them, or none. The receipts are in the order of payloads."},
	} {
		name := "Enqueue" + q.GoName + e.suffix
		given, got := jen.Id("payload").Id(q.GoName), jen.Id("Receipt")
		argument := "payload"
		if e.call == "enqueueMany" {
			given, got, argument = jen.Id("payloads").Index().Id(q.GoName), jen.Index().Id("Receipt"), "payloads"
		}
		params := []jen.Code{jen.Id("ctx").Qual("context", "Context"), jen.Id("store").Op("*").Id("Store")}
		tx := jen.Nil()
		if e.tx {
			params, tx = append(params, jen.Id("tx").Id("Tx")), jen.Id("tx")
		}
		f.Line()
		f.Add(comment(name + " " + fmt.Sprintf(e.doc, q.Name.V)))
		f.Func().Id(name).Params(append(params, given)...).Params(got, jen.Error()).Block(
			jen.Return(jen.Id(e.call).Call(jen.Id("ctx"), jen.Id("store"), tx, jen.Op("&").Id(q.Var), jen.Id(argument))),
		)
	}
}

func keyNote(q *plan.Queue) string {
	if len(q.Key) == 0 {
		return ""
	}
	return " A second job with the same " + listed(fieldNames(q.Key), "and") + " is not made: the receipt tells of the first."
}

// worker makes:
//
//	// MerchantDocThumbnailsWorker runs the jobs of the queue merchant-doc-thumbnails with handle: at most 8 at once in one
//	// process, each run for at most 15s.
//	func MerchantDocThumbnailsWorker(handle func(ctx context.Context, job *Job[MerchantDocThumbnails]) error) Worker {
//		return newWorker(&merchantDocThumbnailsQueue, handle)
//	}
func worker(f *jen.File, q *plan.Queue) {
	name := q.GoName + "Worker"
	f.Line()
	f.Add(comment(fmt.Sprintf("%s runs the jobs of the queue %s with handle: at most %d at once in one process, each run for at most %s.",
		name, q.Name.V, q.Concurrency, plan.Duration(q.Timeout.V))))
	handle := jen.Id("handle").Func().Params(jen.Id("ctx").Qual("context", "Context"), jen.Id("job").Op("*").Id("Job").Types(jen.Id(q.GoName))).Error()
	f.Func().Id(name).Params(handle).Id("Worker").Block(
		jen.Return(jen.Id("newWorker").Call(jen.Op("&").Id(q.Var), jen.Id("handle"))),
	)
}
