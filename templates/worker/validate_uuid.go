//retryc:when uuid

package worker

import "regexp"

var uuidPattern = regexp.MustCompile(`^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$`)

// uuid refuses every form but the one in lower case with hyphens: two forms of one id would be two keys.
func (b *breaches) uuid(field, value string) {
	if !uuidPattern.MatchString(value) {
		b.add(field, "is not a UUID in lower case")
	}
}
