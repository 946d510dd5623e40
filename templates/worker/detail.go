package worker

import (
	"strings"
	"unicode/utf8"
)

// detailTable bounds and cleans the error text that is written to a row.
type detailTable struct {
	max    int // bytes
	redact []redaction
}

// redaction replaces what must not be stored.
type redaction func(string) string

// clean makes text that any database takes: valid UTF-8 without NUL, secrets replaced, no longer than max. What
// is far beyond max is cut first, at white space, so that a huge text costs little and no half of a secret stays.
func (d detailTable) clean(text string) string {
	if far := 16 * d.max; len(text) > far {
		text = text[:far]
		if i := strings.LastIndexAny(text, " \t\n"); i >= 0 {
			text = text[:i]
		}
	}
	text = strings.ReplaceAll(strings.ToValidUTF8(text, "\uFFFD"), "\x00", "\uFFFD")
	for _, r := range d.redact {
		text = r(text)
	}
	return cut(text, d.max)
}

// cut shortens s to limit bytes, at the end of a rune, and shows that it did.
func cut(s string, limit int) string {
	if len(s) <= limit {
		return s
	}
	const mark = "…"
	end := max(0, limit-len(mark))
	for end > 0 && !utf8.RuneStart(s[end]) {
		end--
	}
	return s[:end] + mark
}
