// Package spectest makes whole specs of the snippets in tests and in the catalogue of codes.
package spectest

import (
	"strings"

	"github.com/retryc/retryc/spec/diag"
)

// Base is a small spec in which nothing is wrong.
const Base = `version: 1
generate: {package: jobs, go: internal/jobs}
ladders:
  standard: {rungs: [30s, 2m, 10m], jitter: 25%}
default_ladder: standard
queues:
  thumbnails:
    payload: {event_id: string, merchant_id: string, plan: {type: string, optional: true}}
    idempotency_key: [event_id]
ledger: {dialect: sqlite}
`

// Overlay puts the snippet's top-level keys in the place of those of Base. It works on lines, so that a snippet may be
// broken YAML.
func Overlay(snippet string) []byte {
	replaced := map[string]bool{}
	for line := range strings.Lines(snippet) {
		if key, ok := topKey(line); ok {
			replaced[key] = true
		}
	}
	var out strings.Builder
	keep := true
	for line := range strings.Lines(Base) {
		if key, ok := topKey(line); ok {
			keep = !replaced[key]
		}
		if keep {
			out.WriteString(line)
		}
	}
	out.WriteString(snippet)
	return []byte(out.String())
}

// Source is the file that an example of the catalogue stands for.
func Source(e diag.Example) []byte {
	if e.Whole {
		return []byte(e.Text)
	}
	return Overlay(e.Text)
}

func topKey(line string) (string, bool) {
	key, _, ok := strings.Cut(line, ":")
	return strings.TrimSpace(key), ok && key != "" && !strings.ContainsAny(line[:1], " \t#-")
}
