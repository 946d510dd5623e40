package worker

// What a product's retry.yaml would give.
const (
	jobTable    = "job"
	ledgerTable = "job_attempt"
	purgeTable  = "job_purge"
)

var statements sqlText
