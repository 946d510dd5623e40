package emit

import "github.com/retryc/retryc/generator/internal/plan"

// amends makes, where dead jobs can be sent back:
//
//	// AmendWeeklyDigest sends one dead job of the queue weekly-digest back with another payload, which has to have the same
//	// customer_id and week. …
//	func AmendWeeklyDigest(ctx context.Context, store *Store, jobID string, payload WeeklyDigest, by Signed) (Redrive, error) {
//		return amend(ctx, store, &weeklyDigestQueue, jobID, payload, by)
//	}
func amends(s *goText, q *plan.Queue) {
	name := "Amend" + q.GoName
	same := "."
	if len(q.Key) > 0 {
		same = ", which has to have the same " + listed(fieldNames(q.Key), "and") + "."
	}
	s.doc(name + " sends one dead job of the queue " + q.Name.V + " back with another payload" + same + " The hashes of both payloads are on record, with who did it and why.")
	s.lines(block("func "+name+"(ctx "+s.qual("context", "Context")+", store *Store, jobID string, payload "+q.GoName+", by Signed) (Redrive, error) {",
		"return amend(ctx, store, &"+q.Var+", jobID, payload, by)")...)
}
