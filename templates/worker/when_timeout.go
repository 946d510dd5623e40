//retryc:when timeout

package worker

import "errors"

// timedOut matches a handler that ran into its timeout, and any error that says of itself that it is a timeout.
func timedOut(err error) bool {
	var t interface{ Timeout() bool }
	return errors.Is(err, errTimeout) || errors.As(err, &t) && t.Timeout()
}
