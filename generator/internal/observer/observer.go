// Package observer is the catalogue of client libraries that the output can be bound to, so that a program is seen.
package observer

// Observer is one client library.
type Observer struct {
	Name  string // as observability has it
	Title string // as a sentence has it
	// Modules are those that the emitted code imports, and Version is what it is tested with.
	Modules []string
	Version string
	// Traces says that a job knows the span of its producer.
	Traces bool
}

// The client libraries.
var (
	OTel = &Observer{
		Name: "otel", Title: "OpenTelemetry", Traces: true, Version: "v1.47.0",
		Modules: []string{"go.opentelemetry.io/otel", "go.opentelemetry.io/otel/metric", "go.opentelemetry.io/otel/trace"},
	}
	Prometheus = &Observer{Name: "prometheus", Title: "Prometheus", Version: "v1.25.0", Modules: []string{"github.com/prometheus/client_golang"}}
)

// All is every client library.
var All = []*Observer{OTel, Prometheus}

// ByName finds one; nil where there is none.
func ByName(name string) *Observer {
	for _, o := range All {
		if o.Name == name {
			return o
		}
	}
	return nil
}
