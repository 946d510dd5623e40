//retryc:when http_family

package worker

// Whole families of HTTP statuses, for httpStatus.
const (
	any4xx = 4
	any5xx = 5
)
