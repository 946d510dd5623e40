package worker

import (
	"context"
	"errors"
	"log/slog"

	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"
	"go.opentelemetry.io/otel/trace"
)

// meters are the instruments at a meter of OpenTelemetry, and the tracer.
type meters struct {
	counters   map[*instrument]metric.Int64Counter
	histograms map[*instrument]metric.Float64Histogram
	gauges     map[*instrument]metric.Float64ObservableGauge
	reading    metric.Registration
	readings   *readings
}

// Observe makes OpenTelemetry have what this program does with the store, and how the queues stand, until the store is
// closed; and a span of each attempt, which links to the span in whose context its job was enqueued. Call it before Run. A
// provider that is nil is the global one.
//
// Each reading of the metrics asks the database at most every ten seconds, and never twice at a time.
func Observe(store *Store, meterProvider metric.MeterProvider, tracerProvider trace.TracerProvider) error {
	if meterProvider == nil {
		meterProvider = otel.GetMeterProvider()
	}
	if tracerProvider == nil {
		tracerProvider = otel.GetTracerProvider()
	}
	m := &meters{
		readings: newReadings(store), counters: map[*instrument]metric.Int64Counter{},
		histograms: map[*instrument]metric.Float64Histogram{}, gauges: map[*instrument]metric.Float64ObservableGauge{},
	}
	meter := meterProvider.Meter(scope)
	var errs, err error
	for _, i := range counters {
		m.counters[i], err = meter.Int64Counter(i.name, metric.WithUnit(i.unit), metric.WithDescription(i.help))
		errs = errors.Join(errs, err)
	}
	for _, i := range histograms {
		m.histograms[i], err = meter.Float64Histogram(i.name, metric.WithUnit(i.unit), metric.WithDescription(i.help), metric.WithExplicitBucketBoundaries(i.bounds...))
		errs = errors.Join(errs, err)
	}
	var observed []metric.Observable
	for _, i := range gauges {
		m.gauges[i], err = meter.Float64ObservableGauge(i.name, metric.WithUnit(i.unit), metric.WithDescription(i.help))
		errs = errors.Join(errs, err)
		observed = append(observed, m.gauges[i])
	}
	m.reading, err = meter.RegisterCallback(m.read, observed...)
	if errs = errors.Join(errs, err); errs != nil {
		return errs
	}
	return store.observe(&observation{m, tracerProvider.Tracer(scope)})
}

// scope is what the instruments are found under.
const scope = "github.com/retryc/retryc"

// read is called at each reading of the metrics.
func (m *meters) read(_ context.Context, to metric.Observer) error {
	for _, r := range m.readings.now() {
		to.ObserveFloat64(m.gauges[r.of], r.value, labelled(r.of, r.values))
	}
	return nil
}

func (m *meters) add(i *instrument, n int, values ...string) {
	m.counters[i].Add(context.Background(), int64(n), labelled(i, values))
}

func (m *meters) record(i *instrument, seconds float64, values ...string) {
	m.histograms[i].Record(context.Background(), seconds, labelled(i, values))
}

func (m *meters) close() {
	if err := m.reading.Unregister(); err != nil {
		slog.Warn("the store is observed for longer than it is there", "error", err)
	}
	m.readings.stop()
}

func labelled(i *instrument, values []string) metric.MeasurementOption {
	set := make([]attribute.KeyValue, len(values))
	for n, value := range values {
		set[n] = attribute.String(i.labels[n], value)
	}
	return metric.WithAttributeSet(attribute.NewSet(set...))
}
