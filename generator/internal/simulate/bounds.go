package simulate

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Bound is what a scenario may not exceed.
type Bound struct {
	Name  string // dead, peak, recovery or drain
	Limit string // as it was given
	over  func(*Simulated) (value string, over bool)
}

// Simulated is a scenario and what came of it.
type Simulated struct {
	Scenario
	*Result
}

// Times is a number of attempts as a multiple of what arrives in the busiest second without an outage.
func (s *Simulated) Times(m Moment) float64 { return float64(m.Count) / float64(s.Normal()) }

// Exceeds is the value that the bound is on, and whether that is above the limit.
func (b Bound) Exceeds(s *Simulated) (value string, over bool) { return b.over(s) }

// Bounds reads a list such as dead=1%,peak=5x,recovery=6x,drain=2h. A duration is read by a function.
func Bounds(text string, duration func(string) (time.Duration, bool)) (bounds []Bound, err error) {
	if text == "" {
		return nil, nil
	}
	for _, word := range strings.Split(text, ",") {
		name, limit, _ := strings.Cut(strings.TrimSpace(word), "=")
		b := Bound{Name: name, Limit: limit}
		if slices.ContainsFunc(bounds, func(other Bound) bool { return other.Name == name }) {
			return nil, fmt.Errorf("%s is bounded twice", name)
		}
		switch name {
		case "dead":
			percent, err := number(limit, "%")
			if err != nil || percent > 100 {
				return nil, fmt.Errorf("%q is no bound of the share that dies: write dead=0.5%%", word)
			}
			b.over = func(s *Simulated) (string, bool) {
				value := 100 * s.DeadShare()
				return fmt.Sprintf("%.3g%%", value), value > percent
			}
		case "peak", "recovery":
			most, err := number(limit, "x")
			if err != nil {
				return nil, fmt.Errorf("%q is no bound of the attempts in a second: write %s=3x, which is three times what arrives", word, name)
			}
			b.over = func(s *Simulated) (string, bool) {
				value := s.Times(s.Peak)
				if name == "recovery" {
					value = s.Times(s.Busiest)
				}
				return fmt.Sprintf("%.3gx", value), value > most
			}
		case "drain":
			longest, ok := duration(limit)
			if !ok {
				return nil, fmt.Errorf("%q is no bound of the time to drain: write drain=2h", word)
			}
			b.over = func(s *Simulated) (string, bool) {
				if !s.Complete {
					return "never", true
				}
				return s.Drain.String(), s.Drain > longest
			}
		default:
			return nil, fmt.Errorf("there is no bound %q: use dead=1%%, peak=3x, recovery=5x and drain=2h, with commas between them", name)
		}
		bounds = append(bounds, b)
	}
	return bounds, nil
}

// number reads a number above or at zero with its unit, which may be left out.
func number(text, unit string) (float64, error) {
	n, err := strconv.ParseFloat(strings.TrimSuffix(text, unit), 64)
	if err == nil && !(n >= 0) {
		err = strconv.ErrRange
	}
	return n, err
}
