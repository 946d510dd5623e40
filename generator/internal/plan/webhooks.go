package plan

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/retryc/retryc/spec"
)

// webhooks resolves to which queue the deliveries of each webhook go, and what becomes of them.
func (b *builder) webhooks() {
	for i := range b.doc.Webhooks {
		src := &b.doc.Webhooks[i]
		w := &Webhook{
			Spec:      src,
			Name:      src.Name,
			GoName:    exported(src.Name.V) + "Webhook",
			Var:       unexported(src.Name.V) + "Webhook",
			Queue:     b.queueOf(src.Enqueue),
			Signature: signatureOf(src.Signature),
			Only:      onlyOf(src),
			MaxBody:   src.MaxBody.Or(1 << 20),
		}
		what := fmt.Sprintf("the webhook %q", src.Name.V)
		b.plan.Names.fixed(w.GoName, what, src.Name)
		b.plan.Names.fixed(w.Var, what, src.Name)
		b.secrets(src.Signature)
		if w.Queue != nil {
			b.oncePerEvent(w)
			b.mappings(w)
		}
		b.plan.Webhooks = append(b.plan.Webhooks, w)
	}
}

// queueOf is the queue of a name, or nil where that is refused.
func (b *builder) queueOf(name spec.Name) *Queue {
	var names []string
	for _, q := range b.plan.Queues {
		if q.Name.V == name.V {
			return q
		}
		names = append(names, q.Name.V)
	}
	if name.Set() && b.doc.QueuesPos.Valid() && !b.doc.Refused[name.Pos] {
		errorAt(b, "RC260", name, "there is no queue %q", name.V).Hint = didYouMean(name.V, names, "name a queue that is under queues")
	}
	return nil
}

func signatureOf(src spec.Signature) Signature {
	s := Signature{
		Scheme: Scheme(src.Scheme.V),
		Header: http.CanonicalHeaderKey(src.Header.V),
		Base64: src.Encoding.V == "base64",
		Prefix: src.Prefix.V,
	}
	for _, secret := range src.Secrets {
		s.Secrets = append(s.Secrets, secret.V)
	}
	if s.Timed() {
		s.Tolerance = orAt(src.Tolerance, 5*time.Minute)
	}
	return s
}

func onlyOf(src *spec.Webhook) *Only {
	if len(src.OnlyIs) == 0 {
		return nil
	}
	o := &Only{From: mappedOf(nil, src.Only)}
	for _, text := range src.OnlyIs {
		o.Is = append(o.Is, text.V)
	}
	return o
}

// Timed reports whether the time of a signature is in it.
func (s Signature) Timed() bool { return s.Scheme == Stripe || s.Scheme == StandardWebhooks }

// Covers reports whether the sender signs a header.
func (s Signature) Covers(header string) bool {
	return s.Scheme == StandardWebhooks && (header == "Webhook-Id" || header == "Webhook-Timestamp")
}

// secrets refuses a variable that is named twice: it would be one secret.
func (b *builder) secrets(src spec.Signature) {
	seen := map[string]spec.Name{}
	for _, s := range src.Secrets {
		if first, twice := seen[s.V]; twice {
			d := errorAt(b, "RC266", s, "the variable %s is named twice, and holds one secret", s.V)
			d.Hint, d.Related = "leave one of them out, or name the variable of the other secret", relatedAt(first, "the first is here")
			continue
		}
		seen[s.V] = s
	}
}

// oncePerEvent refuses a queue in which a delivery that comes again would be another job, or to which no job is added in a
// transaction.
func (b *builder) oncePerEvent(w *Webhook) {
	enqueue, q := w.Spec.Enqueue, w.Queue
	if q.Carried() {
		d := errorAt(b, "RC264", enqueue, "the jobs of the queue %q are in its messages, and a delivery is answered once its job is in the database", q.Name.V)
		d.Hint, d.Related = "let the queue keep its payloads in rows: take payload_in: message out", relatedAt(q.Spec.Backend.PayloadIn, "the payload is in the message")
	}
	if len(q.Spec.Key) == 0 && !q.Spec.KeyPos.Valid() {
		d := errorAt(b, "RC265", enqueue, "the queue %q has no idempotency_key, so a delivery that comes again would be another job", q.Name.V)
		d.Hint, d.Related = "add idempotency_key: the fields of the payload that say which event it is", relatedAt(q.Name, "the queue is here")
	}
}

// mappings resolves where the fields of the payload are.
func (b *builder) mappings(w *Webhook) {
	if !w.Queue.Spec.PayloadPos.Valid() || !w.Spec.PayloadPos.Valid() {
		return
	}
	mapped := map[string]bool{}
	for _, m := range w.Spec.Payload {
		mapped[m.Field.V] = true
		f := w.Queue.field(m.Field.V)
		switch {
		case b.doc.Refused[m.Field.Pos] || b.doc.Refused[m.Path.Pos] || b.doc.Refused[m.Header.Pos]:
			continue
		case f == nil:
			errorAt(b, "RC261", m.Field, "the payload of the queue %q has no field %q", w.Queue.Name.V, m.Field.V).Hint =
				didYouMean(m.Field.V, fieldNames(w.Queue.Payload), "name a field of the payload")
			continue
		case m.Header.Set() && !slices.Contains(headerKinds, f.Type.Kind):
			d := errorAt(b, "RC263", m.Header, "a header is text, and the field %q is of type %s", f.Name.V, f.Type.Kind)
			d.Hint, d.Related = "take it from the body, or make the field a string", relatedAt(f.Name, "the field is here")
			continue
		}
		w.Fields = append(w.Fields, mappedOf(f, m))
	}
	for _, f := range w.Queue.Payload.Fields {
		if f.Required() && !mapped[f.Name.V] {
			d := errorAt(b, "RC262", w.Name, "the webhook %q does not say where the field %q is, which every payload of the queue %q has", w.Name.V, f.Name.V, w.Queue.Name.V)
			d.Hint, d.Related = "add "+f.Name.V+" to its payload, or make the field optional", relatedAt(f.Name, "the field is here")
		}
	}
}

// headerKinds are the types whose values are JSON texts. Bytes are none that a header would have.
var headerKinds = []Kind{String, Enum, UUID, Time}

func mappedOf(f *Field, m spec.Mapping) Mapped {
	out := Mapped{Field: f, Header: http.CanonicalHeaderKey(m.Header.V), At: firstSet(m.Header, m.Path)}
	if m.Path.Set() && m.Path.V != "$" {
		out.Path = strings.Split(m.Path.V, ".")
	}
	return out
}
