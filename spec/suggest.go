package spec

import (
	"slices"
	"strings"
)

// closest is the candidate that got was probably meant to be, or "" where none is near. Ties go to the first in order.
func closest(got string, candidates []string) string {
	best, least := "", 1+max(1, runes(got)/3)
	for _, c := range candidates {
		if d := distance(plainKey(got), plainKey(c)); d < least {
			best, least = c, d
		}
	}
	return best
}

// plainKey makes spellings equal that differ in habit only: maxDelay, max-delay, max_delay.
func plainKey(s string) string {
	return joints.Replace(strings.ToLower(s))
}

var joints = strings.NewReplacer("_", "", "-", "", " ", "", ".", "")

// distance counts the edits (a letter more, less, changed, or two swapped) between two words.
func distance(a, b string) int {
	s, t := []rune(a), []rune(b)
	if len(s) > 64 || len(t) > 64 {
		return len(s) + len(t)
	}
	d := make([][]int, len(s)+1)
	for i := range d {
		d[i] = make([]int, len(t)+1)
		d[i][0] = i
	}
	for j := range d[0] {
		d[0][j] = j
	}
	for i := 1; i <= len(s); i++ {
		for j := 1; j <= len(t); j++ {
			change := 1
			if s[i-1] == t[j-1] {
				change = 0
			}
			d[i][j] = min(d[i-1][j]+1, d[i][j-1]+1, d[i-1][j-1]+change)
			if i > 1 && j > 1 && s[i-1] == t[j-2] && s[i-2] == t[j-1] {
				d[i][j] = min(d[i][j], d[i-2][j-2]+1)
			}
		}
	}
	return d[len(s)][len(t)]
}

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
