package main

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/retryc/retryc/generator"
)

// The values of flags that are written as retry.yaml writes them.

// duration is a flag such as 90s, 1h30m or 2d.
type duration struct{ d *time.Duration }

func (v duration) Type() string { return "duration" }

func (v duration) String() string {
	if v.d == nil || *v.d == 0 {
		return ""
	}
	return generator.Duration(*v.d)
}

func (v duration) Set(text string) error {
	d, ok := generator.ParseDuration(text)
	if !ok {
		return errors.New("write a length of time above zero: 30s, 10m, 1h30m or 2d")
	}
	*v.d = d
	return nil
}

// retryAfter is a flag such as 45s, or end.
type retryAfter struct{ s *generator.Scenario }

func (v retryAfter) Type() string { return "duration|end" }

func (v retryAfter) String() string {
	if v.s != nil && v.s.AskedEnd {
		return "end"
	}
	if v.s == nil {
		return ""
	}
	return duration{&v.s.Asked}.String()
}

func (v retryAfter) Set(text string) error {
	if v.s.AskedEnd = text == "end"; v.s.AskedEnd {
		return nil
	}
	if (duration{&v.s.Asked}).Set(text) != nil {
		return errors.New("write a length of time above zero, or end for the end of the outage")
	}
	return nil
}

// rate is a flag such as 100/s.
type rate struct{ r *generator.Rate }

func (v rate) Type() string { return "jobs/s" }

func (v rate) String() string {
	if v.r == nil {
		return ""
	}
	return rateText(*v.r)
}

var rateUnits = map[string]time.Duration{"s": time.Second, "m": time.Minute, "h": time.Hour}

func rateText(r generator.Rate) string {
	for unit, per := range rateUnits {
		if per == r.Per {
			return fmt.Sprintf("%d/%s", r.Jobs, unit)
		}
	}
	return fmt.Sprintf("%d/%s", r.Jobs, r.Per)
}

func (v rate) Set(text string) error {
	jobs, unit, found := strings.Cut(text, "/")
	if !found {
		unit = "s"
	}
	n, err := strconv.ParseInt(jobs, 10, 64)
	per := rateUnits[unit]
	if err != nil || per == 0 || n < 1 || n > mostGiven {
		return fmt.Errorf("write a whole number of jobs up to %d with its time: 100/s, 90/m or 5000/h", mostGiven)
	}
	*v.r = generator.Rate{Jobs: n, Per: per}
	return nil
}

// percent is a flag such as 30%.
type percent struct{ share *float64 }

func (v percent) Type() string { return "percent" }

func (v percent) String() string {
	if v.share == nil {
		return ""
	}
	return strconv.FormatFloat(100**v.share, 'g', 4, 64) + "%"
}

func (v percent) Set(text string) error {
	n, err := strconv.ParseFloat(strings.TrimSuffix(text, "%"), 64)
	if err != nil || !(n > 0 && n <= 100) {
		return errors.New("write a share above 0% and up to 100%: 30%")
	}
	*v.share = n / 100
	return nil
}
