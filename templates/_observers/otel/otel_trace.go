package worker

import (
	"context"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/trace"
)

type tracer = trace.Tracer

// w3c is how the span of a producer is written on its job.
var w3c propagation.TraceContext

// traceparent is the span in ctx; empty where there is none.
func traceparent(ctx context.Context) string {
	into := propagation.MapCarrier{}
	w3c.Inject(ctx, into)
	return into["traceparent"]
}

// spanContextOf reads it.
func spanContextOf(traceparent string) trace.SpanContext {
	return trace.SpanContextFromContext(w3c.Extract(context.Background(), propagation.MapCarrier{"traceparent": traceparent}))
}

//retryc:if broker

// cleanTraceparent is one that has come with a message, or nothing where it is none.
func cleanTraceparent(s string) string {
	return traceparent(trace.ContextWithRemoteSpanContext(context.Background(), spanContextOf(s)))
}

//retryc:end

// withSpanOf is the context to with the span that is in from.
func withSpanOf(from, to context.Context) context.Context {
	return trace.ContextWithSpan(to, trace.SpanFromContext(from))
}

// beginSpan puts a span of an attempt into its context. It is the root of a trace, which links to the producer's: a retry may
// run days later, and that trace is long over.
func (o *observation) beginSpan(f *flight) {
	if o == nil {
		return
	}
	options := []trace.SpanStartOption{trace.WithNewRoot(), trace.WithSpanKind(trace.SpanKindConsumer), trace.WithTimestamp(f.begun), trace.WithAttributes(
		attribute.String("messaging.system", "retryc"),
		attribute.String("messaging.operation.type", "process"),
		attribute.String("messaging.destination.name", f.queue),
		attribute.String("messaging.message.id", f.jobID),
		attribute.Int("retryc.attempt", f.attempt),
		attribute.Int("retryc.generation", f.generation),
	)}
	if producer := spanContextOf(f.traceparent); producer.IsValid() {
		options = append(options, trace.WithLinks(trace.Link{SpanContext: producer}))
	}
	f.seen = o
	f.run, _ = o.tracer.Start(f.run, "process "+f.queue, options...)
}

// endSpan ends it, as of when the handler had returned, and says how the attempt ended.
func (o *observation) endSpan(f *flight, accepted bool) {
	span, r := trace.SpanFromContext(f.run), &f.result
	switch {
	case r.PutBack:
		span.AddEvent("put back")
	case !accepted:
		span.SetStatus(codes.Error, ErrLeaseLost.Error())
	default:
		span.SetAttributes(attribute.String("retryc.outcome", string(r.Outcome)), attribute.String("retryc.decision", r.Decision))
	}
	if accepted && r.Outcome != ok && !r.PutBack {
		span.SetAttributes(attribute.String("error.type", r.Class))
		span.SetStatus(codes.Error, r.Class)
		span.AddEvent("exception", trace.WithTimestamp(f.begun.Add(f.took)), trace.WithAttributes(
			attribute.String("exception.type", r.Class), attribute.String("exception.message", r.Detail)))
	}
	span.End(trace.WithTimestamp(f.begun.Add(max(f.took, time.Nanosecond))))
}
