package jobs

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	sdkmetric "go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"
	"go.opentelemetry.io/otel/trace"
)

// theatre is a trial whose spans and metrics are read as an exporter reads them.
type theatre struct {
	*testing.T
	*Trial
	spans  *tracetest.SpanRecorder
	traces trace.TracerProvider
	reader *sdkmetric.ManualReader
}

func newTheatre(t *testing.T) *theatre {
	t.Helper()
	th := &theatre{T: t, Trial: NewTrial(t), spans: tracetest.NewSpanRecorder(), reader: sdkmetric.NewManualReader()}
	th.traces = sdktrace.NewTracerProvider(sdktrace.WithSpanProcessor(th.spans))
	if err := Observe(th.Store, sdkmetric.NewMeterProvider(sdkmetric.WithReader(th.reader)), th.traces); err != nil {
		t.Fatal(err)
	}
	return th
}

// produce enqueues within a span of its own.
func (th *theatre) produce(enqueue func(context.Context) (Receipt, error)) (trace.SpanContext, string) {
	th.Helper()
	ctx, span := th.traces.Tracer("producer").Start(th.Context(), "produce")
	defer span.End()
	r, err := enqueue(ctx)
	if err != nil {
		th.Fatal(err)
	}
	return span.SpanContext(), r.JobID
}

func (th *theatre) invoice(id string) func(context.Context) (Receipt, error) {
	return func(ctx context.Context) (Receipt, error) {
		return EnqueueInvoices(ctx, th.Store, Invoices{InvoiceID: id, CustomerID: "c_1"})
	}
}

// attempts are the spans of attempts that have ended, in order.
func (th *theatre) attempts() (all []sdktrace.ReadOnlySpan) {
	for _, s := range th.spans.Ended() {
		if strings.HasPrefix(s.Name(), "process ") {
			all = append(all, s)
		}
	}
	return all
}

func attributeOf(s sdktrace.ReadOnlySpan, key string) string {
	for _, a := range s.Attributes() {
		if string(a.Key) == key {
			return a.Value.String()
		}
	}
	return ""
}

var errOdd = errors.New("nobody knows why, said ann@example.com")

// Each attempt is a trace of its own, which links to the span of the producer, however long ago that was.
func TestEveryAttemptLinksToItsProducer(t *testing.T) {
	th := newTheatre(t)
	producer, id := th.produce(th.invoice("1"))
	var seen []trace.SpanContext
	handle := InvoicesWorker(func(ctx context.Context, job *Job[Invoices]) error {
		seen = append(seen, trace.SpanContextFromContext(ctx))
		if job.Attempt < 3 {
			return errOdd
		}
		return nil
	})
	ctx, span := th.traces.Tracer("main").Start(t.Context(), "main")
	defer span.End()
	for range 3 {
		th.RunDue(ctx, handle)
		th.Advance(11 * time.Hour)
	}
	attempts := th.attempts()
	if len(attempts) != 3 || len(seen) != 3 {
		t.Fatalf("%d spans of attempts, and %d in handlers, want 3", len(attempts), len(seen))
	}
	for i, s := range attempts {
		if s.SpanContext().SpanID() != seen[i].SpanID() {
			t.Errorf("attempt %d: the handler has another span than the attempt", i+1)
		}
		if len(s.Links()) != 1 || s.Links()[0].SpanContext.SpanID() != producer.SpanID() || s.Links()[0].SpanContext.TraceID() != producer.TraceID() {
			t.Errorf("attempt %d links to %v, want the producer", i+1, s.Links())
		}
		if s.Parent().IsValid() || s.SpanContext().TraceID() == producer.TraceID() || s.SpanKind() != trace.SpanKindConsumer {
			t.Errorf("attempt %d is part of another trace, or no consumer", i+1)
		}
		want := []string{id, "invoices", fmt.Sprint(i + 1), []string{"transient", "transient", "ok"}[i], []string{"retry", "retry", "done"}[i]}
		got := []string{attributeOf(s, "messaging.message.id"), attributeOf(s, "messaging.destination.name"), attributeOf(s, "retryc.attempt"), attributeOf(s, "retryc.outcome"), attributeOf(s, "retryc.decision")}
		if !slices.Equal(got, want) {
			t.Errorf("attempt %d says %q, want %q", i+1, got, want)
		}
	}
	if failed := attempts[0]; failed.Status().Code != codes.Error || failed.Status().Description != "unmatched" || len(failed.Events()) != 1 {
		t.Errorf("the first attempt is told as %v with %v", failed.Status(), failed.Events())
	} else if text := failed.Events()[0].Attributes[1]; text != attribute.String("exception.message", "nobody knows why, said [redacted]") {
		t.Errorf("the error is told as %v", text)
	}
	if attempts[2].Status().Code != codes.Unset {
		t.Errorf("the last attempt is told as %v", attempts[2].Status())
	}
}

// A job that nobody traces has spans without links, and a program that is not observed has no spans, though its jobs know
// their producer.
func TestTracesAreOptional(t *testing.T) {
	th := newTheatre(t)
	if _, err := th.invoice("1")(t.Context()); err != nil {
		t.Fatal(err)
	}
	th.RunDue(t.Context(), InvoicesWorker(func(context.Context, *Job[Invoices]) error { return nil }))
	if attempts := th.attempts(); len(attempts) != 1 || len(attempts[0].Links()) != 0 {
		t.Errorf("%d attempts, want one without a link", len(attempts))
	}

	silent := &theatre{T: t, Trial: NewTrial(t), traces: th.traces}
	silent.produce(silent.invoice("2"))
	ctx, span := th.traces.Tracer("main").Start(t.Context(), "main")
	var inside trace.SpanContext
	silent.RunDue(ctx, InvoicesWorker(func(ctx context.Context, _ *Job[Invoices]) error {
		inside = trace.SpanContextFromContext(ctx)
		return nil
	}))
	if !span.IsRecording() || inside.SpanID() != span.SpanContext().SpanID() {
		t.Error("the span that Run was called in is over, or hidden from handlers")
	}
}

// A job that an effect enqueues links to the attempt.
func TestFollowUpLinksToTheAttemptThatMadeIt(t *testing.T) {
	th := newTheatre(t)
	th.produce(th.invoice("1"))
	th.RunDue(t.Context(), InvoicesWorker(func(_ context.Context, job *Job[Invoices]) error {
		job.OnCommit(func(ctx context.Context, tx Tx) error {
			_, err := EnqueueReceiptsTx(ctx, th.Store, tx, Receipts{InvoiceID: job.Payload.InvoiceID})
			return err
		})
		return nil
	}))
	th.RunDue(t.Context(), ReceiptsWorker(func(context.Context, *Job[Receipts]) error { return nil }))
	attempts := th.attempts()
	if len(attempts) != 2 || len(attempts[1].Links()) != 1 || attempts[1].Links()[0].SpanContext.SpanID() != attempts[0].SpanContext().SpanID() {
		t.Errorf("%d attempts; the second does not link to the first", len(attempts))
	}
}

// values are those of an instrument, by its attributes.
func (th *theatre) values(name string) map[string]float64 {
	th.Helper()
	var all metricdata.ResourceMetrics
	if err := th.reader.Collect(th.Context(), &all); err != nil {
		th.Fatal(err)
	}
	got := map[string]float64{}
	add := func(set attribute.Set, v float64) {
		var labels []string
		for _, a := range set.ToSlice() {
			labels = append(labels, a.Value.String())
		}
		if v != 0 {
			got[strings.Join(labels, " ")] = v
		}
	}
	for _, scope := range all.ScopeMetrics {
		for _, m := range scope.Metrics {
			if m.Name != name {
				continue
			}
			switch data := m.Data.(type) {
			case metricdata.Sum[int64]:
				for _, p := range data.DataPoints {
					add(p.Attributes, float64(p.Value))
				}
			case metricdata.Gauge[float64]:
				for _, p := range data.DataPoints {
					add(p.Attributes, p.Value)
				}
			case metricdata.Histogram[float64]:
				for _, p := range data.DataPoints {
					add(p.Attributes, float64(p.Count))
				}
			}
		}
	}
	return got
}

func TestMetricsOfEveryFate(t *testing.T) {
	th := newTheatre(t)
	for _, id := range []string{"fine", "gone", "odd", "waits"} {
		if _, err := th.invoice(id)(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	handle := InvoicesWorker(func(_ context.Context, job *Job[Invoices]) error {
		switch job.Payload.InvoiceID {
		case "gone":
			return Permanent(errOdd)
		case "odd":
			return errOdd
		case "waits":
			return Snooze(10 * time.Hour)
		}
		return nil
	})
	for range 4 {
		th.RunDue(t.Context(), handle)
		th.Advance(3 * time.Minute)
	}
	for name, want := range map[string]map[string]float64{ // attributes in the order of their names
		"retryc.attempts":       {" ok invoices": 1, "marked permanent invoices": 1, "unmatched transient invoices": 3, "snoozed transient invoices": 1},
		"retryc.dead_letters":   {"marked invoices": 1, "unmatched invoices": 1},
		"retryc.last_rungs":     {"invoices": 1},
		"retryc.handler":        {"ok invoices": 1, "permanent invoices": 1, "transient invoices": 4},
		"retryc.retry_wait":     {"invoices": 3},
		"retryc.dead_jobs":      {"marked invoices": 1, "unmatched invoices": 1},
		"retryc.scheduled_jobs": {"invoices": 1},
		"retryc.due_jobs":       {},
	} {
		if got := th.values(name); fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("%s: %v, want %v", name, got, want)
		}
	}
	ages, err := th.newestFingerprints(t.Context())
	if err != nil || ages["invoices"] != 6*time.Minute { // odd died when its ladder was over
		t.Errorf("the newest error is %v old (%v), want 6m", ages, err)
	}
}

// An attempt that was no use has a span too, which says so.
func TestSpansOfAttemptsThatTheLedgerDoesNotHave(t *testing.T) {
	h := newHarness(t, notePolicy(), func(context.Context, *Job[note]) error { return errOdd })
	spans := tracetest.NewSpanRecorder()
	if err := Observe(h.store, sdkmetric.NewMeterProvider(), sdktrace.NewTracerProvider(sdktrace.WithSpanProcessor(spans))); err != nil {
		t.Fatal(err)
	}
	h.enqueue(note{})
	h.exec("update "+jobTable+" set payload = ?, schema_hash = 's2'", []byte(`{"key":"a","text":"","currency":"EUR"}`))
	h.runDue()
	h.advance(h.queue.lease + time.Second)
	h.exec("update "+jobTable+" set payload = ?, schema_hash = 's1'", []byte(`{"key":"a","text":""}`))
	late := h.begin(h.token)
	h.advance(h.queue.lease + time.Second)
	if err := h.another(h.store, "another", func(context.Context, *Job[note]) error { return nil }).reap(t.Context()); err != nil {
		t.Fatal(err)
	}
	h.end(h.process, late[0])
	var got []string
	for _, s := range spans.Ended() {
		text := fmt.Sprint(s.Status().Code, " ", s.Status().Description, " ", attributeOf(s, "retryc.outcome"))
		for _, e := range s.Events() {
			text += " " + e.Name
		}
		got = append(got, text)
	}
	if want := []string{"Unset   put back", "Error " + ErrLeaseLost.Error() + " "}; !slices.Equal(got, want) {
		t.Errorf("spans %q, want %q", got, want)
	}
}
