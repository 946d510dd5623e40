//retryc:when http

package worker

// httpStatus matches an error in the chain with one of the statuses.
func httpStatus(codes ...int) condition {
	return func(err error) bool {
		status := statusOf(err)
		for _, c := range codes {
			if status == c || status/100 == c {
				return true
			}
		}
		return false
	}
}
