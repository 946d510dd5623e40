package picture

import (
	"encoding/xml"
	"errors"
	"io"
	"math"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/retryc/retryc/generator/internal/plan"
	"github.com/retryc/retryc/generator/internal/simulate"
	"github.com/retryc/retryc/templates/worker"
)

// sound checks that a picture is XML, and that what is drawn and written is inside it.
func sound(t *testing.T, name string, svg []byte) {
	t.Helper()
	dec := xml.NewDecoder(strings.NewReader(string(svg)))
	height := 0.0
	var at float64
	var anchor, class string
	for {
		token, err := dec.Token()
		if errors.Is(err, io.EOF) {
			return
		}
		if err != nil {
			t.Fatalf("%s: %v\n%s", name, err, svg)
		}
		switch e := token.(type) {
		case xml.StartElement:
			anchor, class = "start", ""
			for _, a := range e.Attr {
				value, err := strconv.ParseFloat(a.Value, 64)
				switch {
				case e.Name.Local == "svg" && a.Name.Local == "height":
					height = value
				case a.Name.Local == "text-anchor":
					anchor = a.Value
				case a.Name.Local == "class":
					class = a.Value
				case a.Name.Local == "d":
					for _, n := range numbers.FindAllString(a.Value, -1) {
						if f, err := strconv.ParseFloat(n, 64); err != nil || f < 0 || f > max(width, height) {
							t.Errorf("%s: %s in %s", name, n, a.Value)
						}
					}
				case err == nil && (math.IsNaN(value) || value < 0 || value > max(width, height)):
					t.Errorf("%s: %s is %s", name, a.Name.Local, a.Value)
				}
				if a.Name.Local == "x" {
					at = value
				}
			}
			if e.Name.Local == "style" || e.Name.Local == "title" || e.Name.Local == "desc" {
				if err := dec.Skip(); err != nil {
					t.Fatal(err)
				}
			}
		case xml.CharData:
			letter := map[string]float64{"soft": 6.7, "text": 7.2, "title": 9.6}[class] // on the average, and rather more
			wide := letter * float64(len([]rune(strings.TrimSpace(string(e)))))
			from, to := at, at+wide
			switch anchor {
			case "end":
				from, to = at-wide, at
			case "middle":
				from, to = at-wide/2, at+wide/2
			}
			if class != "" && wide > 0 && (from < 0 || to > width) {
				t.Errorf("%s: %q is from %.0f to %.0f", name, e, from, to)
			}
		}
	}
}

var numbers = regexp.MustCompile(`[^MLZ ]+`)

func TestPicturesOfOutagesAreSound(t *testing.T) {
	caps := worker.Caps{Attempts: 10, Throttles: 10, Delay: time.Hour, RetryAfter: time.Hour, Window: 48 * time.Hour}
	ladder := &worker.Ladder{Rungs: []time.Duration{30 * time.Second, time.Hour}, Min: 0.5, Max: 1.5}
	for name, s := range map[string]simulate.Scenario{
		"short":    {Outage: time.Second, Rate: simulate.Rate{Jobs: 1, Per: time.Second}},
		"one job":  {Outage: time.Minute, Rate: simulate.Rate{Jobs: 1, Per: time.Hour}},
		"long":     {Outage: 5 * 24 * time.Hour, Rate: simulate.Rate{Jobs: 1, Per: time.Minute}},
		"many":     {Outage: 10 * time.Second, Rate: simulate.Rate{Jobs: 100_000, Per: time.Second}, Capacity: 900_000},
		"capacity": {Outage: time.Minute, Rate: simulate.Rate{Jobs: 10, Per: time.Second}, Capacity: 20},
		"batches":  {Outage: time.Hour, Rate: simulate.Rate{Jobs: 10, Per: time.Second}, Every: 10 * time.Minute},
	} {
		for _, permanent := range []bool{false, true} {
			s.Failing = 1
			s.Down = simulate.Class{Decider: worker.Failing{Caps: caps, Queue: ladder, Permanent: permanent}.Decider()}
			s.Overload = s.Down
			r, err := simulate.Run(s)
			if err != nil {
				t.Fatal(err)
			}
			o := Outage{
				Title: "a < b & c", Premise: []string{strings.Repeat("many words ", 30)}, Outcome: []string{"10 > 9", strings.Repeat("more words ", 30)},
				Time: plan.Duration, Simulated: simulate.Simulated{Scenario: s, Result: r},
			}
			sound(t, name, o.SVG())
		}
	}
}

func TestPicturesOfLivesAreSound(t *testing.T) {
	for name, rows := range map[string][]Row{
		"one":      {{Name: "attempt 1", Note: "at once"}, {Name: "dead", Note: "permanent", Latest: 30 * time.Second, End: true}},
		"instant":  {{Name: "attempt 1", Note: "at once"}, {Name: "dead", Note: "permanent", End: true}},
		"years":    {{Name: "attempt 1"}, {Name: "attempt 2", Note: "1ms–8760h0m0.001s", Earliest: 1, Usual: Never, Latest: 8760 * time.Hour}, {Name: "…", Gap: true}},
		"no range": {{Name: "attempt 1000000"}, {Name: "attempt 1000001", Note: "30s", Earliest: 30 * time.Second, Usual: 30 * time.Second, Latest: 30 * time.Second}},
	} {
		tl := Timeline{Title: name, Premise: []string{"<&>"}, Rows: rows, Outcome: []string{"it is dead"}, Time: plan.Duration}
		sound(t, name, tl.SVG())
	}
}

func TestMarksOfAScaleKeepTheirDistance(t *testing.T) {
	for _, s := range []Scale{{0, 0}, {1, 1}, {time.Second, time.Minute}, {time.Millisecond, 365 * 24 * time.Hour}, {time.Hour, 2 * time.Hour}} {
		before := -1.0
		for _, m := range s.Marks(0.1) {
			at := s.At(m)
			if at < 0 || at > 1 || math.IsNaN(at) || before >= 0 && at-before < 0.1 {
				t.Errorf("%+v: %s is at %f, after %f", s, m, at, before)
			}
			before = at
		}
	}
}
