//retryc:when response

package worker

import (
	"fmt"
	"net/http"
	"strconv"
	"time"
)

// CheckResponse is nil for a status below 300, else an error that carries the status and the Retry-After of the
// answer. It reads only the header: closing the body stays with the caller.
func CheckResponse(resp *http.Response) error {
	if resp.StatusCode < 300 {
		return nil
	}
	return &responseError{status: resp.StatusCode, after: retryAfterOf(resp.Header)}
}

type responseError struct {
	status int
	after  time.Duration
}

func (e *responseError) Error() string {
	return fmt.Sprintf("http status %d %s", e.status, http.StatusText(e.status))
}

// StatusCode is the status of the answer.
func (e *responseError) StatusCode() int { return e.status }

// RetryAfter is the wait that the answer asks for; 0 is none.
func (e *responseError) RetryAfter() time.Duration { return e.after }

// retryAfterOf reads Retry-After: whole seconds, or an IMF-fixdate measured against the answer's own Date where it has
// one, so that a wrong clock on this side does not matter. Anything else asks for nothing.
func retryAfterOf(h http.Header) time.Duration {
	text := h.Get("Retry-After")
	if text != "" && digits(text) {
		seconds, err := strconv.ParseInt(text, 10, 64)
		if err != nil || seconds > int64(1<<63-1)/int64(time.Second) {
			return 1<<63 - 1 // longer than any cap
		}
		return time.Duration(seconds) * time.Second
	}
	at, err := time.Parse(http.TimeFormat, text)
	if err != nil {
		return 0
	}
	now, err := time.Parse(http.TimeFormat, h.Get("Date"))
	if err != nil {
		now = time.Now() // the best there is
	}
	return max(0, at.Sub(now))
}

func digits(s string) bool {
	for i := range len(s) {
		if s[i] < '0' || s[i] > '9' {
			return false
		}
	}
	return true
}
