package diag

import (
	"strings"
	"unicode/utf8"
)

// Nearest is the candidate that word was probably meant to be, or "" where none is near. Upper and lower case and
// the marks between words count for nothing, two swapped letters count as one slip, and a tie goes to the first.
func Nearest(word string, candidates []string) string {
	best, least, letters := "", 1+max(1, utf8.RuneCountInString(word)/3), plain(word)
	for _, c := range candidates {
		if slips := slips(letters, plain(c), least); slips < least {
			best, least = c, slips
		}
	}
	return best
}

func plain(s string) []rune {
	return []rune(joints.Replace(strings.ToLower(s)))
}

var joints = strings.NewReplacer("_", "", "-", "", ".", "", " ", "")

// slips counts the letters added, dropped, changed or swapped with a neighbour between a and b. It answers limit
// where the lengths alone say that there are at least as many.
func slips(a, b []rune, limit int) int {
	if len(a)-len(b) >= limit || len(b)-len(a) >= limit {
		return limit
	}
	before, last := []int(nil), make([]int, len(b)+1)
	for j := range last {
		last[j] = j
	}
	for i := range a {
		row := make([]int, len(b)+1)
		row[0] = i + 1
		for j := range b {
			changed := last[j]
			if a[i] != b[j] {
				changed++
			}
			row[j+1] = min(changed, last[j+1]+1, row[j]+1)
			if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
				row[j+1] = min(row[j+1], before[j-1]+1)
			}
		}
		before, last = last, row
	}
	return last[len(b)]
}
