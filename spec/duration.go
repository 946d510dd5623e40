package spec

import (
	"math"
	"regexp"
	"strconv"
	"time"
)

// Duration reads a length of time as retry.yaml has it, above zero: 90s, 1h30m, 2d.
func Duration(s string) (time.Duration, bool) {
	d, ok := duration(s)
	return d, ok && d > 0 && durationForm.MatchString(s)
}

// duration reads text such as 1h30m. It reports false where the sum passes the longest time that Go can hold, which is
// about 290 years. The form has been checked by the schema.
func duration(s string) (time.Duration, bool) {
	var sum time.Duration
	for _, part := range durationPart.FindAllStringSubmatch(s, -1) {
		n, err := strconv.ParseInt(part[1], 10, 64)
		unit := durationUnits[part[2]]
		if err != nil || n > int64((math.MaxInt64-sum)/unit) {
			return 0, false
		}
		sum += time.Duration(n) * unit
	}
	return sum, true
}

var (
	durationForm  = regexp.MustCompile(`^([0-9]+(ms|s|m|h|d))+$`)
	durationPart  = regexp.MustCompile(`([0-9]+)(ms|s|m|h|d)`)
	durationUnits = map[string]time.Duration{
		"ms": time.Millisecond, "s": time.Second, "m": time.Minute, "h": time.Hour, "d": 24 * time.Hour,
	}
)

// size reads text such as 2KB as bytes. It reports false where it is too large.
func size(s string) (int, bool) {
	m := sizeParts.FindStringSubmatch(s)
	if m == nil {
		return 0, false
	}
	n, err := strconv.ParseInt(m[1], 10, 64)
	unit := map[string]int64{"B": 1, "KB": 1 << 10, "MB": 1 << 20}[m[2]]
	if err != nil || n > maxDetail/unit {
		return 0, false
	}
	return int(n * unit), true
}

// maxDetail is the largest error_detail.max: a row of the ledger is read by people.
const maxDetail = 1 << 20

var sizeParts = regexp.MustCompile(`^([0-9]+)(B|KB|MB)$`)
