//retryc:when nested

package worker

import "errors"

// under adds what a nested value found, below its place in the payload.
func (b *breaches) under(path string, err error) {
	if joined, many := err.(interface{ Unwrap() []error }); many {
		for _, e := range joined.Unwrap() {
			b.under(path, e)
		}
		return
	}
	var e *invalidPayload
	if errors.As(err, &e) {
		b.add(path+"."+e.field, e.problem)
	}
}
