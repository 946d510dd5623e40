package jobs

import (
	"context"
	"testing"

	sdkmetric "go.opentelemetry.io/otel/sdk/metric"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"

	"github.com/retryc/retryc/golden/traced_postgres/jobs/infraitest"
)

// The message that carries a job carries the span of its producer too. What another program has written in its place goes
// nowhere.
func TestTraceGoesByWayOfTheMessage(t *testing.T) {
	server := infraitest.New(infraitest.Options{Receipts: true, Running: true})
	t.Cleanup(server.Close)
	t.Setenv("INFRAI_API_KEY", infraitest.APIKey)
	t.Setenv("INFRAI_URL", server.URL)
	store, spans := newTestStore(t), tracetest.NewSpanRecorder()
	traces := sdktrace.NewTracerProvider(sdktrace.WithSpanProcessor(spans))
	if err := Observe(store, sdkmetric.NewMeterProvider(), traces); err != nil {
		t.Fatal(err)
	}
	if err := ConnectEvents(t.Context(), store, server.Client()); err != nil {
		t.Fatal(err)
	}
	ctx, produce := traces.Tracer("producer").Start(t.Context(), "produce")
	if _, err := EnqueueEvents(ctx, store, Events{EventID: "e_1"}); err != nil {
		t.Fatal(err)
	}
	produce.End()
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	err := Run(ctx, store, EventsWorker(func(context.Context, *Job[Events]) error {
		stop()
		return nil
	}))
	if err != nil {
		t.Fatal(err)
	}
	attempts := spans.Ended()[1:]
	if len(attempts) != 1 || len(attempts[0].Links()) != 1 || attempts[0].Links()[0].SpanContext.SpanID() != produce.SpanContext().SpanID() {
		t.Errorf("%d attempts, without a link to the producer", len(attempts))
	}
	for text, want := range map[string]string{
		"00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01":     "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
		"00-00000000000000000000000000000000-b7ad6b7169203331-01":     "",
		"00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01\x00": "",
		"robert'); drop table job; --":                                "",
		"":                                                            "",
	} {
		if got := cleanTraceparent(text); got != want {
			t.Errorf("%q is kept as %q, want %q", text, got, want)
		}
	}
}
