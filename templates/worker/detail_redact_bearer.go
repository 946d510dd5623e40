//retryc:when redact_bearer

package worker

import (
	"regexp"
	"strings"
)

var bearerPattern = regexp.MustCompile(`(?i)\b(bearer|basic)([ :=]+)[a-z0-9._~+/=-]{4,}`)

// redactBearer replaces the credentials of an Authorization header.
func redactBearer(s string) string {
	if lower := strings.ToLower(s); !strings.Contains(lower, "bearer") && !strings.Contains(lower, "basic") {
		return s
	}
	return bearerPattern.ReplaceAllString(s, "$1$2"+redacted)
}
