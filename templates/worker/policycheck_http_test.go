//retryc:when http

package worker

import "fmt"

// httpSample is an error with an HTTP status.
type httpSample int

func (s httpSample) Error() string { return fmt.Sprintf("http status %d", int(s)) }

// StatusCode is how any client's error tells it.
func (s httpSample) StatusCode() int { return int(s) }
