//retryc:when redact_email

package worker

import "regexp"

var emailPattern = regexp.MustCompile(`[\pL\pN._%+-]+@[\pL\pN-]+(\.[\pL\pN-]+)+`)

// redactEmail replaces e-mail addresses.
func redactEmail(s string) string { return emailPattern.ReplaceAllString(s, redacted) }
