package jobs

import (
	"context"
	"testing"

	"github.com/prometheus/client_golang/prometheus"
	otelprometheus "go.opentelemetry.io/otel/exporters/prometheus"
	sdkmetric "go.opentelemetry.io/otel/sdk/metric"
)

// What OpenTelemetry hands on to Prometheus has the names that the alert rules look for.
func TestMetricsHaveTheNamesOfTheAlertRulesAtPrometheus(t *testing.T) {
	registry := prometheus.NewRegistry()
	exporter, err := otelprometheus.New(otelprometheus.WithRegisterer(registry))
	if err != nil {
		t.Fatal(err)
	}
	trial := NewTrial(t)
	if err := Observe(trial.Store, sdkmetric.NewMeterProvider(sdkmetric.WithReader(exporter)), nil); err != nil {
		t.Fatal(err)
	}
	if _, err := EnqueueInvoices(t.Context(), trial.Store, Invoices{InvoiceID: "1"}); err != nil {
		t.Fatal(err)
	}
	trial.RunDue(t.Context(), InvoicesWorker(func(context.Context, *Job[Invoices]) error { return Permanent(errOdd) }))
	families, err := registry.Gather()
	if err != nil {
		t.Fatal(err)
	}
	labels := map[string]bool{}
	for _, f := range families {
		for _, l := range f.GetMetric()[0].GetLabel() {
			labels[f.GetName()+" "+l.GetName()] = true
		}
		labels[f.GetName()] = true
	}
	for _, name := range []string{
		"retryc_attempts_total queue", "retryc_attempts_total outcome", "retryc_attempts_total class", "retryc_oldest_due_seconds queue", "retryc_overdue_jobs queue",
		"retryc_dead_letters_total queue", "retryc_newest_fingerprint_age_seconds queue", "retryc_last_rungs_total queue", "retryc_due_jobs queue",
		"retryc_reading_age_seconds", "retryc_running_jobs", "retryc_handler_seconds",
	} {
		if !labels[name] {
			t.Errorf("there is no %s", name)
		}
	}
}
