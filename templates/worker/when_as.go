//retryc:when as

package worker

import "errors"

// as matches an error of type E anywhere in the error's chain.
func as[E error]() condition {
	return func(err error) bool {
		var target E
		return errors.As(err, &target)
	}
}
