package plan

import (
	"cmp"
	"slices"

	"github.com/retryc/retryc/generator/internal/broker"
	"github.com/retryc/retryc/generator/internal/dialect"
)

// backends resolves at which broker each queue is. Two queues at one place would take each other's messages.
func (b *builder) backends() {
	type place struct{ broker, variable, baseURL, queue string }
	taken := map[place]*Queue{}
	for _, q := range b.plan.Queues {
		src := &q.Spec.Backend
		known := broker.ByName(src.Broker.V)
		if known == nil {
			continue
		}
		b.needsBrokers(q)
		b.needsCarried(q)
		b.needsRows(q)
		q.Backend = &Backend{
			Spec:       src,
			Broker:     known,
			Variable:   src.Variable().V,
			BaseURL:    src.BaseURLEnv.V,
			PushSecret: src.PushEnv.V,
			Queue:      src.Queue.V,
			Carried:    src.Carried(),
			DeadLetter: src.NativeDead.V,
		}
		if known != broker.SQS {
			q.Backend.Queue = cmp.Or(src.Queue.V, q.Name.V)
		}
		at := place{known.Name, q.Backend.Variable, q.Backend.BaseURL, q.Backend.Queue}
		other := taken[at]
		if other == nil {
			taken[at] = q
			continue
		}
		if at.variable == "" {
			continue // which has been refused
		}
		d := errorAt(b, "RC250", firstSet(src.Queue, src.Variable()), "the queues %q and %q are one queue at %s", other.Name.V, q.Name.V, q.Backend.Broker.Title)
		d.Hint = "give one of them another queue there: each takes the other's messages"
		d.Related = relatedAt(firstSet(other.Spec.Backend.Queue, other.Spec.Backend.Variable()), "the other is here")
	}
}

// needsBrokers refuses a backend where the worker for the ledger's database knows none yet.
func (b *builder) needsBrokers(q *Queue) {
	src := b.doc.Ledger.Dialect
	d := dialect.ByName(src.V)
	if d == nil || d.Brokers {
		return
	}
	finding := errorAt(b, "RC251", q.Spec.Backend.Broker, "the queue %q has a backend, which needs a ledger on PostgreSQL so far, and this one is on %s", q.Name.V, d.Title)
	finding.Hint, finding.Related = "take the backend out, or write dialect: postgres", relatedAt(src, "the dialect is here")
}

// needsCarried refuses dead letters at a broker of messages that hold no payload: they would be of no use there.
func (b *builder) needsCarried(q *Queue) {
	src := &q.Spec.Backend
	if !src.NativeDead.V || src.Carried() {
		return
	}
	d := errorAt(b, "RC252", src.NativeDead, "the messages of the queue %q hold no payload, so they are no dead letters at the broker", q.Name.V)
	d.Hint = "write payload_in: message beside it, or take native_dead_letter out: the dead job is in the database with its payload"
	if src.PayloadIn.Set() {
		d.Related = relatedAt(src.PayloadIn, "the payload is in the row")
	}
}

// needsRows refuses messages that are posted and carry their jobs: the answer to a request would wait for the handler.
func (b *builder) needsRows(q *Queue) {
	src := &q.Spec.Backend
	if !src.PushEnv.Set() || !src.Carried() {
		return
	}
	d := errorAt(b, "RC253", src.PushEnv, "the messages of the queue %q carry their payloads, and no request waits for a handler to end", q.Name.V)
	d.Hint, d.Related = "take push_secret_env out, or payload_in: message", relatedAt(src.PayloadIn, "the payload is in the message")
}

// Drivers are the clients that the output imports, as module@version that it is tested with: the database's, then those of
// brokers, then those by which a program is seen.
func (p *Plan) Drivers() []string {
	all := []string{p.Ledger.Dialect.Module + "@" + p.Ledger.Dialect.Version}
	for _, b := range broker.All {
		used := slices.ContainsFunc(p.Queues, func(q *Queue) bool { return q.Backend != nil && q.Backend.Broker == b })
		if used && b.Module != "" {
			all = append(all, b.Module+"@"+b.Version)
		}
	}
	if o := p.Observer; o != nil {
		for _, module := range o.Modules {
			all = append(all, module+"@"+o.Version)
		}
	}
	return all
}
