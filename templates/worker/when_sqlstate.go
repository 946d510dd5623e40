//retryc:when sqlstate

package worker

import (
	"errors"
	"strings"
)

// sqlState matches an error in the chain with one of the SQLSTATEs, which it tells by a method SQLState() string.
// A code that ends in * is a prefix.
func sqlState(codes ...string) condition {
	return func(err error) bool {
		var e interface{ SQLState() string }
		if !errors.As(err, &e) {
			return false
		}
		state := e.SQLState()
		for _, c := range codes {
			if prefix, wild := strings.CutSuffix(c, "*"); state == c || wild && strings.HasPrefix(state, prefix) {
				return true
			}
		}
		return false
	}
}
