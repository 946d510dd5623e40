package plan

import (
	"fmt"
	"slices"
	"time"

	"github.com/retryc/retryc/spec"
)

// queues resolves every queue with its payload and its key.
func (b *builder) queues() {
	for i := range b.doc.Queues {
		src := &b.doc.Queues[i]
		q := &Queue{
			Spec:        src,
			Name:        src.Name,
			GoName:      goNameOf(src.GoName, src.Name),
			Ladder:      b.ladder(src.Ladder),
			Concurrency: src.Concurrency.Or(4),
			Timeout:     orAt(src.Timeout, 30*time.Second),
			Lease:       orAt(src.Lease, time.Minute),
			Downstream:  downstreamOf(src.Downstream),
		}
		q.Var = unexported(q.GoName) + "Queue"
		if !src.Ladder.Set() {
			q.Ladder = b.plan.DefaultLadder
		}
		b.queueNames(q)
		of := fmt.Sprintf("the queue %q", src.Name.V)
		q.Payload = b.structOf(q.GoName, "the payload of the queue "+src.Name.V, of, src.Payload)
		b.key(q)
		b.plan.Queues = append(b.plan.Queues, q)
	}
}

// downstreamOf is nil where a field is missing that it needs, which has been refused.
func downstreamOf(src spec.Downstream) *Downstream {
	if !src.Requests.Set() || !src.Run.Set() {
		return nil
	}
	return &Downstream{
		Requests: src.Requests.V, Processes: src.Processes.Or(1),
		Per: src.Per.Or(time.Second), Run: src.Run.V,
	}
}

// queueNames takes the identifiers that come out for each queue, but for those of its payload.
func (b *builder) queueNames(q *Queue) {
	what := fmt.Sprintf("the queue %q", q.Name.V)
	names := []string{q.GoName, "Enqueue" + q.GoName, "Enqueue" + q.GoName + "Many", q.GoName + "Worker", q.Var}
	if !q.Carried() {
		names = append(names, "Enqueue"+q.GoName+"Tx")
	}
	if q.Spec.Backend.Broker.Set() {
		names = append(names, "Connect"+q.GoName)
		if !q.Carried() {
			names = append(names, "Announce"+q.GoName)
		}
		if q.Spec.Backend.PushEnv.Set() {
			names = append(names, "Subscribe"+q.GoName, q.GoName+"PushHandler")
		}
	}
	if q.Spec.Backend.NativeDead.V {
		names = append(names, "Redrive"+q.GoName+"Messages")
	}
	for _, name := range names {
		b.plan.Names.add(Package, name, what, orName(q.Spec.GoName, q.Name))
	}
}

// key resolves idempotency_key: fields that every payload has, of kinds that have one text each.
func (b *builder) key(q *Queue) {
	seen := map[string]spec.Name{}
	for _, k := range q.Spec.Key {
		if first, twice := seen[k.V]; twice {
			d := errorAt(b, "RC205", k, "the key has the field %q twice", k.V)
			d.Hint, d.Related = "leave one of them out", relatedAt(first, "the first is here")
			continue
		}
		seen[k.V] = k
		f := q.field(k.V)
		switch {
		case f == nil:
			errorAt(b, "RC203", k, "the payload of the queue %q has no field %q", q.Name.V, k.V).Hint =
				didYouMean(k.V, fieldNames(q.Payload), "name a field of the payload")
		case f.Type == nil:
		case !slices.Contains(keyKinds, f.Type.Kind):
			d := errorAt(b, "RC204", k, "the field %q is of type %s, which cannot be part of a key", k.V, f.Type.Kind)
			d.Hint, d.Related = "a key is made of string, enum, uuid, int, int64, bool and time fields", relatedAt(f.Name, "the field is here")
		case !f.Required():
			d := errorAt(b, "RC206", k, "the field %q can be left out, so it cannot be part of a key", k.V)
			d.Hint, d.Related = "make the field required: no optional and no default", relatedAt(f.Name, "the field is here")
		default:
			q.Key = append(q.Key, f)
		}
	}
}

var keyKinds = []Kind{String, Enum, UUID, Int, Int64, Bool, Time}

// Carried reports whether the messages of the queue carry its payloads: then nothing adds a job of it in a transaction.
func (q *Queue) Carried() bool { return q.Spec.Backend.Carried() }

// field finds a field of the payload; nil where there is none.
func (q *Queue) field(name string) *Field {
	i := slices.IndexFunc(q.Payload.Fields, func(f *Field) bool { return f.Name.V == name })
	if i < 0 {
		return nil
	}
	return q.Payload.Fields[i]
}

func fieldNames(s *Struct) []string {
	var names []string
	for _, f := range s.Fields {
		names = append(names, f.Name.V)
	}
	return names
}
