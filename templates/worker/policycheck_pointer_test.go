//retryc:when pointer_samples

package worker

// pointerTo is for the optional fields of a sample.
func pointerTo[T any](v T) *T { return &v }
