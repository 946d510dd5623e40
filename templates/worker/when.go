package worker

import "errors"

// is matches target anywhere in the error's chain.
func is(target error) condition {
	return func(err error) bool { return errors.Is(err, target) }
}
