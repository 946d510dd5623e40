package plan

import (
	"path"
	"slices"
	"time"

	"github.com/retryc/retryc/generator/internal/observer"
	"github.com/retryc/retryc/spec"
)

// Objectives are what the team wants to be told of one queue. What is zero or false asks for nothing; Growth has no place
// where it does.
type Objectives struct {
	FailureVisibleWithin, OldestMessage spec.At[time.Duration]
	DeadLetterGrowth                    spec.At[spec.Rate]
	NewFingerprint, LastRung            bool
}

// observability resolves which client library the output is bound to, and what is to be told by way of it.
func (b *builder) observability() {
	b.plan.Observer = observer.ByName(b.doc.Observability.V)
	src := b.doc.SLO
	if !src.Pos.Valid() {
		b.needsRules()
		return
	}
	b.plan.AlertsDir = alertsDir(b.doc)
	if b.plan.Observer == nil {
		at := spec.NameAt("slo", src.Pos)
		d := errorAt(b, "RC280", at, "slo asks for alerts, and the output counts nothing that they could look at")
		d.Hint = "write observability: prometheus, or otel"
		if b.doc.Observability.Set() {
			d.Related = relatedAt(b.doc.Observability, "observability is here")
		}
	}
	for _, q := range b.plan.Queues {
		own := spec.Objectives{}
		if i := slices.IndexFunc(src.Queues, func(o spec.QueueSLO) bool { return o.Queue.V == q.Name.V }); i >= 0 {
			own = src.Queues[i].Objectives
		}
		q.Objectives = objectivesOf(src.Objectives, own)
	}
	b.knownQueues(src)
}

func objectivesOf(all, own spec.Objectives) Objectives {
	return Objectives{
		FailureVisibleWithin: firstAt(own.FailureVisibleWithin, all.FailureVisibleWithin),
		OldestMessage:        firstAt(own.OldestMessage, all.OldestMessage),
		DeadLetterGrowth:     firstAt(own.DeadLetterGrowth, all.DeadLetterGrowth),
		NewFingerprint:       firstAt(own.NewFingerprint, all.NewFingerprint).V,
		LastRung:             firstAt(own.LastRung, all.LastRung).V,
	}
}

func firstAt[T any](own, all spec.At[T]) spec.At[T] {
	if own.Set() {
		return own
	}
	return all
}

// knownQueues refuses objectives of a queue that is not there.
func (b *builder) knownQueues(src spec.SLO) {
	var names []string
	for _, q := range b.doc.Queues {
		names = append(names, q.Name.V)
	}
	for _, o := range src.Queues {
		if !slices.Contains(names, o.Queue.V) && !b.doc.Refused[o.Queue.Pos] {
			errorAt(b, "RC281", o.Queue, "slo has objectives of a queue %q, and there is none", o.Queue.V).Hint =
				didYouMean(o.Queue.V, names, "name one of the queues")
		}
	}
}

// needsRules refuses a folder for files that nothing asks for.
func (b *builder) needsRules() {
	if at := b.doc.Generate.Alerts; at.Set() {
		errorAt(b, "RC282", at, "generate.alerts names a folder for alert rules, and nothing asks for any").Hint = "add slo, or take alerts out"
	}
}

// alertsDir is the folder of the alert rules, slash-separated and below the folder of the spec.
func alertsDir(doc *spec.Document) string {
	return path.Clean(doc.Generate.Alerts.Or("db/alerts"))
}
