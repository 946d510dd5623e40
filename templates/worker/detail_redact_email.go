//retryc:when redact_email

package worker

import (
	"regexp"
	"strings"
)

var emailPattern = regexp.MustCompile(`[\pL\pN._%+-]+@[\pL\pN-]+(\.[\pL\pN-]+)+`)

// redactEmail replaces e-mail addresses.
func redactEmail(s string) string {
	if !strings.Contains(s, "@") { // the pattern would be tried at each letter
		return s
	}
	return emailPattern.ReplaceAllString(s, redacted)
}
