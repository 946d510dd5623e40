package lint_test

import (
	"strings"
	"testing"

	"github.com/retryc/retryc/spec/spectest"
)

// A ladder has one rung at least, so a policy without retries has one that nobody climbs.
func TestAPolicyWithoutRetriesCanBeSaid(t *testing.T) {
	for snippet, fine := range map[string]bool{
		"caps: {attempts: 1, crashes: 1}\nladders: {standard: {rungs: [30s]}}\n":     true,
		"caps: {attempts: 1, crashes: 1}\nladders: {standard: {rungs: [30s, 2m]}}\n": false,
		"caps: {attempts: 1}\nladders: {standard: {rungs: [30s, 2m]}}\n":             true, // crashes climb it, twice by default
		"caps: {attempts: 1}\nladders: {standard: {rungs: [30s, 2m, 10m]}}\n":        false,
	} {
		findings := check(spectest.Overlay(snippet))
		if fine != (len(findings) == 0) {
			t.Errorf("%s: %v", snippet, findings)
		}
		if !fine && strings.Contains(findings[0].Message, "0 times") {
			t.Errorf("%s", findings[0].Message)
		}
	}
}
