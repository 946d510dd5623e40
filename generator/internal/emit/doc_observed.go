package emit

import "github.com/retryc/retryc/generator/internal/plan"

// observedInWords says what is counted, and for whom.
func observedInWords(text *prose, p *plan.Plan) {
	text.heading("Being seen")
	call, traces := "Observe(store, prometheus.DefaultRegisterer)", ""
	if p.Observer.Traces {
		call = "Observe(store, nil, nil)"
		traces = " Each attempt is a span in its handler's context, which links to the span in whose context its job was enqueued."
	}
	text.paragraph(p.Observer.Title + " has the metrics of this package once a program has called " + call + ": attempts by outcome and class, the time of handlers, " +
		"waits, dead letters, crashes, lost leases, and how the queues stand." + traces)
	if p.AlertsDir != "" {
		text.paragraph("Alert rules for them are in " + p.AlertsDir + "/" + alertsFile + ".")
	}
}
