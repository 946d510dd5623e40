//retryc:when breaches

package worker

import "errors"

// breaches collects what is wrong with a payload, so that a caller sees all at once.
type breaches []error

func (b *breaches) add(field, problem string) {
	*b = append(*b, &invalidPayload{field, problem})
}

func (b breaches) err() error { return errors.Join(b...) }
