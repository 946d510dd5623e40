package lint

import (
	"fmt"
	"strings"
	"time"
)

// waits is how often a job waits at most.
func waits(n int) string {
	switch n {
	case 0:
		return "never waits"
	case 1:
		return "waits at most once"
	}
	return fmt.Sprintf("waits at most %d times", n)
}

// times are lengths of time in a sentence.
func times(all []time.Duration) string {
	var words []string
	for _, d := range all {
		words = append(words, short(d))
	}
	if last := len(words) - 1; last > 0 {
		return strings.Join(words[:last], ", ") + " or " + words[last]
	}
	return words[0] + " only"
}
