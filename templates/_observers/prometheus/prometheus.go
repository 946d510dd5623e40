package worker

import (
	"strings"

	"github.com/prometheus/client_golang/prometheus"
)

// metrics are the instruments at a registry of Prometheus.
type metrics struct {
	registry   prometheus.Registerer
	counters   map[*instrument]*prometheus.CounterVec
	histograms map[*instrument]*prometheus.HistogramVec
	gauges     map[*instrument]*prometheus.Desc
	readings   *readings
}

// Observe makes a registry, such as prometheus.DefaultRegisterer, have what this program does with the store, and how the
// queues stand, until the store is closed. Call it before Run. Where a program has two packages of retry.yaml, give each its
// own prefix with prometheus.WrapRegistererWithPrefix.
//
// A scrape asks the database at most every ten seconds, and never twice at a time.
func Observe(store *Store, registry prometheus.Registerer) error {
	m := &metrics{
		registry: registry, readings: newReadings(store),
		counters: map[*instrument]*prometheus.CounterVec{}, histograms: map[*instrument]*prometheus.HistogramVec{}, gauges: map[*instrument]*prometheus.Desc{},
	}
	for _, i := range counters {
		m.counters[i] = prometheus.NewCounterVec(prometheus.CounterOpts{Name: i.promName() + "_total", Help: i.help}, i.labels)
	}
	for _, i := range histograms {
		m.histograms[i] = prometheus.NewHistogramVec(prometheus.HistogramOpts{Name: i.promName(), Help: i.help, Buckets: i.bounds}, i.labels)
	}
	for _, i := range gauges {
		m.gauges[i] = prometheus.NewDesc(i.promName(), i.help, i.labels, nil)
	}
	if err := registry.Register(m); err != nil {
		return err
	}
	return store.observe(&observation{m})
}

// promName is the name of the instrument at Prometheus, but for what a counter has behind it.
func (i *instrument) promName() string {
	name := strings.ReplaceAll(i.name, ".", "_")
	if i.unit == "s" {
		name += "_seconds"
	}
	return name
}

func (m *metrics) add(i *instrument, n int, values ...string) {
	m.counters[i].WithLabelValues(values...).Add(float64(n))
}

func (m *metrics) record(i *instrument, seconds float64, values ...string) {
	m.histograms[i].WithLabelValues(values...).Observe(seconds)
}

func (m *metrics) close() {
	m.registry.Unregister(m)
	m.readings.stop()
}

// Describe is called by the registry.
func (m *metrics) Describe(to chan<- *prometheus.Desc) {
	for _, c := range m.counters {
		c.Describe(to)
	}
	for _, h := range m.histograms {
		h.Describe(to)
	}
	for _, d := range m.gauges {
		to <- d
	}
}

// Collect is called by the registry at each scrape.
func (m *metrics) Collect(to chan<- prometheus.Metric) {
	for _, c := range m.counters {
		c.Collect(to)
	}
	for _, h := range m.histograms {
		h.Collect(to)
	}
	for _, r := range m.readings.now() {
		to <- prometheus.MustNewConstMetric(m.gauges[r.of], prometheus.GaugeValue, r.value, r.values...)
	}
}
