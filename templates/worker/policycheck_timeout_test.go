//retryc:when timeout

package worker

// timeoutSample is an error that says of itself that it is a timeout.
type timeoutSample struct{}

func (timeoutSample) Error() string { return "took too long" }

// Timeout is how any client's error tells it.
func (timeoutSample) Timeout() bool { return true }
