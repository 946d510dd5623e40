package worker

// What a product's retry.yaml would give.
const (
	jobTable    = "job"
	ledgerTable = "job_attempt"
)

var statements sqlText
