package emit

import (
	"fmt"

	"github.com/retryc/retryc/generator/internal/plan"
)

// queues makes queues_gen.go: what a program calls, one-line calls into the runtime.
func queues(p *plan.Plan) ([]File, error) {
	var s goText
	for _, q := range p.Queues {
		enqueues(&s, q)
		worker(&s, q)
		if q.Backend != nil {
			connects(&s, q)
		}
		if p.Redrive != nil {
			amends(&s, q)
		}
	}
	return s.file(p, "queues_gen.go"), nil
}

// enqueues makes:
//
//	// EnqueueMerchantDocThumbnails adds a job to the queue merchant-doc-thumbnails, in a transaction of its own. A second
//	// job with the same event_id is not made: the receipt tells of the first.
//	func EnqueueMerchantDocThumbnails(ctx context.Context, store *Store, payload MerchantDocThumbnails) (Receipt, error) {
//		return enqueueOne(ctx, store, nil, &merchantDocThumbnailsQueue, payload)
//	}
//
// and the same with Tx, in the caller's transaction, and with Many. A queue whose payloads are in messages has no Tx.
func enqueues(s *goText, q *plan.Queue) {
	name := "Enqueue" + q.GoName
	given := "ctx " + s.qual("context", "Context") + ", store *Store, "

	how, many := ", in a transaction of its own.", " in one transaction: all of them, or none."
	if q.Carried() {
		how = " once " + q.Backend.Broker.Title + " has its message. Where that cannot be told, it returns an error, and the job may be there."
		many = ". Where it returns an error, any of them may be there."
	}
	s.doc(name + " adds a job to the queue " + q.Name.V + how + keyNote(q))
	s.lines(block("func "+name+"("+given+"payload "+q.GoName+") (Receipt, error) {",
		"return enqueueOne(ctx, store, nil, &"+q.Var+", payload)")...)

	if !q.Carried() {
		s.doc(name + "Tx adds a job to the queue " + q.Name.V + " in the caller's transaction: both commit, or neither.")
		s.lines(block("func "+name+"Tx("+given+"tx Tx, payload "+q.GoName+") (Receipt, error) {",
			"return enqueueTx(ctx, store, tx, &"+q.Var+", payload)")...)
	}

	s.doc(name + "Many adds jobs to the queue " + q.Name.V + many + " The receipts are in the order of payloads.")
	s.lines(block("func "+name+"Many("+given+"payloads []"+q.GoName+") ([]Receipt, error) {",
		"return enqueueMany(ctx, store, nil, &"+q.Var+", payloads)")...)
}

func keyNote(q *plan.Queue) string {
	if len(q.Key) == 0 {
		return ""
	}
	same := " A second job with the same " + listed(fieldNames(q.Key), "and")
	if q.Carried() {
		return same + " does not run: its message is removed when it comes, or is a dead letter where its payload differs."
	}
	return same + " is not made: the receipt tells of the first."
}

// worker makes:
//
//	// MerchantDocThumbnailsWorker runs the jobs of the queue merchant-doc-thumbnails with handle: at most 8 at once in one
//	// process, each run for at most 15s.
//	func MerchantDocThumbnailsWorker(handle func(ctx context.Context, job *Job[MerchantDocThumbnails]) error) Worker {
//		return newWorker(&merchantDocThumbnailsQueue, handle)
//	}
func worker(s *goText, q *plan.Queue) {
	s.doc(fmt.Sprintf("%sWorker runs the jobs of the queue %s with handle: at most %d at once in one process, each run for at most %s.",
		q.GoName, q.Name.V, q.Concurrency, plan.Duration(q.Timeout.V)))
	s.lines(block("func "+q.GoName+"Worker(handle func(ctx "+s.qual("context", "Context")+", job *Job["+q.GoName+"]) error) Worker {",
		"return newWorker(&"+q.Var+", handle)")...)
}
