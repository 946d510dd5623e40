package spec

import (
	"slices"
	"strings"
)

// enumerate joins words for a sentence: a, b and c.
func enumerate(words []string, conjunction string) string {
	switch len(words) {
	case 0:
		return ""
	case 1:
		return words[0]
	}
	words = slices.Clone(words)
	last := len(words) - 1
	return strings.Join(words[:last], ", ") + " " + conjunction + " " + words[last]
}
