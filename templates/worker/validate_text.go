//retryc:when text

package worker

import "unicode/utf8"

// text refuses bytes that would be stored as other bytes than the caller gave.
func (b *breaches) text(field, value string) {
	if !utf8.ValidString(value) {
		b.add(field, "is not valid UTF-8")
	}
}
