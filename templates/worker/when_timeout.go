//retryc:when timeout

package worker

import "errors"

// timedOut matches an error that says of itself that it is a timeout, by a method Timeout() bool.
func timedOut(err error) bool {
	var t interface{ Timeout() bool }
	return errors.As(err, &t) && t.Timeout()
}
