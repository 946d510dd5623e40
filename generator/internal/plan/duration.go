package plan

import (
	"strings"
	"time"
)

// Duration is d as retry.yaml writes it: 90s is 1m30s, 3600s is 1h.
func Duration(d time.Duration) string {
	s := d.String()
	if strings.HasSuffix(s, "m0s") {
		s = strings.TrimSuffix(s, "0s")
	}
	if strings.HasSuffix(s, "h0m") {
		s = strings.TrimSuffix(s, "0m")
	}
	return s
}
