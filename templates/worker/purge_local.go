package worker

// What a product's retry.yaml would give.
var (
	retention retentionTable
	purging   purgeText
)
