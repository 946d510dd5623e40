//retryc:when redact_pattern

package worker

import "regexp"

// redactPattern replaces what a pattern of retry.yaml matches by its name.
func redactPattern(name, pattern string) redaction {
	re := regexp.MustCompile(pattern)
	return func(s string) string { return re.ReplaceAllLiteralString(s, "["+name+"]") }
}
