package picture

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/retryc/retryc/generator/internal/simulate"
)

// Outage is a picture of a scenario and what came of it.
type Outage struct {
	Title   string
	Premise []string // what is played
	Outcome []string // what came of it
	Time    func(time.Duration) string
	simulate.Simulated
}

const (
	outageColumns = 224
	outageTicks   = 8
	attemptsHigh  = 200 // of the chart of attempts
	waitingHigh   = 70
)

// SVG draws the attempts of each second, and below them how many jobs wait.
func (o *Outage) SVG() []byte {
	s := &svg{}
	step, columns := o.Columns(o.Shown(), outageColumns)
	shown := time.Duration(len(columns)) * step
	x := func(at time.Duration) float64 { return left + (right-left)*float64(at)/float64(shown) }

	s.text(margin, 34, "title", "start", o.Title)
	y := s.paragraph(58, "soft", o.Premise...)
	y = o.legend(s, y+8) + 30

	top := o.Normal()
	waiting := 1
	for _, c := range columns {
		top, waiting = max(top, c.Busiest.First+c.Busiest.Retries), max(waiting, c.Waiting)
	}
	if o.Capacity > 0 && o.Capacity < 3*top {
		top = max(top, o.Capacity)
	}
	attempts := frame{s, y, attemptsHigh, simulate.NiceTop(top), x}
	attempts.open("attempts in a second", min(shown, o.Scenario.Outage))
	attempts.area(columns, step, "one", func(c simulate.Column) (int, int) { return 0, c.Busiest.First })
	attempts.area(columns, step, "two", func(c simulate.Column) (int, int) {
		return c.Busiest.First, c.Busiest.First + c.Busiest.Retries
	})
	if o.Capacity > 0 && o.Capacity <= attempts.top {
		at := attempts.y(o.Capacity)
		s.rule(left, at, right, at, "mark")
	}
	y += attemptsHigh + 34
	jobs := frame{s, y, waitingHigh, simulate.NiceTop(waiting), x}
	jobs.open("jobs that wait for a retry", min(shown, o.Scenario.Outage))
	jobs.area(columns, step, "three", func(c simulate.Column) (int, int) { return 0, c.Waiting })
	y += waitingHigh
	tick := simulate.Step(shown, outageTicks)
	for at := time.Duration(0); at <= shown; at += tick {
		s.rule(x(at), y, x(at), y+5, "axis")
		s.text(x(at), y+19, "soft", "middle", o.Time(at))
	}
	y = s.paragraph(y+48, "text", o.Outcome...)
	return s.document(y+4, o.Title, strings.Join(append(o.Premise, o.Outcome...), ". "))
}

// legend says which colour is what, and answers where it ends.
func (o *Outage) legend(s *svg, y float64) float64 {
	at := float64(left)
	entry := func(class, text string) {
		if class == "mark" {
			s.rule(at, y-4, at+14, y-4, class)
		} else {
			s.rect(at, y-10, 14, 11, class)
		}
		s.text(at+20, y, "soft", "start", text)
		at += 20 + 7*float64(len(text)) + 16
	}
	entry("one", "first attempts")
	entry("two", "retries")
	entry("away", "outage")
	if o.Capacity > 0 {
		entry("mark", "capacity, "+Grouped(o.Capacity)+"/s")
	}
	return y
}

// frame is one chart.
type frame struct {
	s       *svg
	at      float64 // its top
	high    float64
	top     int // of its values
	xOfTime func(time.Duration) float64
}

func (f *frame) y(value int) float64 { return f.at + f.high*(1-float64(value)/float64(f.top)) }

// open draws what is behind the values.
func (f *frame) open(name string, outage time.Duration) {
	f.s.rect(left, f.at, f.xOfTime(outage)-left, f.high, "away")
	f.s.text(left, f.at-7, "soft", "start", name)
	for _, value := range []int{0, f.top / 2, f.top} {
		class := "grid"
		if value == 0 {
			class = "axis"
		}
		f.s.rule(left, f.y(value), right, f.y(value), class)
		f.s.text(left-8, f.y(value)+4, "soft", "end", Grouped(value))
	}
}

// area fills what is between two values of each column.
func (f *frame) area(columns []simulate.Column, step time.Duration, class string, of func(simulate.Column) (low, high int)) {
	var over, under []string // the points of its upper edge, and of its lower one, from left to right
	end := func() {
		if len(over) > 0 {
			slices.Reverse(under)
			f.s.add(`<path d="M%sZ" class="%s"/>`, strings.Join(append(over, under...), "L"), class)
		}
		over, under = nil, nil
	}
	for _, c := range columns {
		low, high := of(c)
		if high == low {
			end()
			continue
		}
		for _, at := range []time.Duration{c.At, c.At + step} {
			x := num(f.xOfTime(at))
			over = append(over, x+" "+num(f.y(high)))
			under = append(under, x+" "+num(f.y(low)))
		}
	}
	end()
}

// Grouped is a number with a comma after each thousand.
func Grouped(n int) string {
	s := fmt.Sprint(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}
