//retryc:when redact_pattern

package worker

import "regexp"

// redactPattern replaces what a pattern of retry.yaml matches.
func redactPattern(pattern string) redaction {
	re := regexp.MustCompile(pattern)
	return func(s string) string { return re.ReplaceAllLiteralString(s, redacted) }
}
