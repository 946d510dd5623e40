package plan

import (
	"fmt"
	"strings"
	"time"
)

// Duration is d as retry.yaml writes it: 90s is 1m30s, 3600s is 1h, and more than two whole days are days.
func Duration(d time.Duration) string {
	const day = 24 * time.Hour
	if d > 2*day && d%day == 0 {
		return fmt.Sprintf("%dd", d/day)
	}
	s := d.String()
	if strings.HasSuffix(s, "m0s") {
		s = strings.TrimSuffix(s, "0s")
	}
	if strings.HasSuffix(s, "h0m") {
		s = strings.TrimSuffix(s, "0m")
	}
	return s
}
