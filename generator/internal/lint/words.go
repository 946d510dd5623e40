package lint

import "fmt"

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
