package generator

import (
	"fmt"
	"slices"
	"time"

	"github.com/retryc/retryc/generator/internal/outlook"
	"github.com/retryc/retryc/generator/internal/picture"
	"github.com/retryc/retryc/generator/internal/plan"
	"github.com/retryc/retryc/templates/worker"
)

// What explain gives its callers.
type (
	Course   = outlook.Course
	Worst    = outlook.Worst
	Timeline = picture.Timeline
	Row      = picture.Row
)

// Explanation is what a policy means for the jobs of a queue.
type Explanation struct {
	Course Course   // of a job whose attempts all end in one way
	Others []Course // all of them, in the order of the classes
	Worst  Worst
	Window time.Duration
	Poll   time.Duration
}

// Explain tells the life of a job of a queue of the spec at path: of a tier, and whose attempts all end as a class says. An empty
// class is that of an HTTP 503. There is no explanation if the spec has an error; that is in the result.
func Explain(path, queue, tier, class string) (*Explanation, *Result, error) {
	doc, p, _, findings, err := resolve(path)
	if err != nil {
		return nil, nil, err
	}
	result := &Result{Document: doc, Diagnostics: findings}
	if findings.HasErrors() {
		return nil, result, nil
	}
	q, err := queueNamed(path, p, queue)
	if err != nil {
		return nil, nil, err
	}
	if _, err := tierLadder(p, q, tier); err != nil {
		return nil, nil, err
	}
	if class == "" {
		class = classOfStatus(p, 503)
	}
	o := outlook.Of(p)
	end, err := endNamed(o, class)
	if err != nil {
		return nil, nil, err
	}
	e := &Explanation{Course: o.Course(q, tier, end), Worst: o.Worst(q, tier), Window: p.Caps.Window.V, Poll: p.Poll}
	for _, end := range o.Ends() {
		e.Others = append(e.Others, o.Course(q, tier, end))
	}
	return e, result, nil
}

// mostRows is how many attempts a timeline shows; of more, it leaves out the middle.
const (
	mostRows = 16
	lastRows = 4
)

// Timeline is the course, a row an attempt.
func (e *Explanation) Timeline() *Timeline {
	t := &Timeline{Time: plan.Duration}
	t.Rows = []Row{{Name: "attempt 1", Note: "at once"}}
	for k, s := range e.Course.Steps {
		r := Row{
			Name: fmt.Sprintf("attempt %d", k+2), Note: SpanText(s.Wait.Least, s.Wait.Longest),
			Earliest: s.Elapsed.Least, Usual: s.Elapsed.Mean, Latest: min(s.Elapsed.Longest, e.Window),
		}
		if k+2 > e.Course.Typical.Attempts {
			r.Name, r.Usual = r.Name+"?", picture.Never
		}
		t.Rows = append(t.Rows, r)
	}
	if more := len(t.Rows) - mostRows; more > 0 {
		first := mostRows - lastRows
		last := t.Rows[len(t.Rows)-lastRows:]
		t.Rows = append(slices.Clone(t.Rows[:first]), Row{Name: "…", Note: fmt.Sprintf("%d more", more), Gap: true})
		t.Rows = append(t.Rows, last...)
	}
	earliest, latest := e.DeadAfter()
	t.Rows = append(t.Rows, Row{Name: "dead", Note: e.Reasons(), Earliest: earliest, Usual: e.Course.Typical.Elapsed, Latest: latest, End: true})
	return t
}

// DeadAfter is when the job is dead, after its first attempt began: once its last attempt has failed, or one whose next wait
// would reach over the window.
func (e *Explanation) DeadAfter() (earliest, latest time.Duration) {
	timeout := e.Course.Queue.Timeout.V
	earliest, latest = e.Course.Soonest.Elapsed, e.Course.Latest.Elapsed
	var least, most time.Duration // when the attempt before the wait begins
	for _, s := range e.Course.Steps {
		over := e.Window - s.Wait.Longest // a failure after that can be the last
		if ends := min(most, e.Window) + timeout; ends > over {
			earliest, latest = min(earliest, max(least, over)), max(latest, ends)
		}
		least, most = s.Elapsed.Least, s.Elapsed.Longest
	}
	return min(earliest, least), max(latest, min(most, e.Window)+timeout)
}

// Reasons are those of the job's death, which the lengths of its waits can decide.
func (e *Explanation) Reasons() string {
	reasons := e.Course.Soonest.Reason
	for _, w := range []outlook.Walk{e.Course.Typical, e.Course.Latest} {
		if w.Reason != e.Course.Soonest.Reason {
			return reasons + " or " + w.Reason
		}
	}
	return reasons
}

// SpanText is two lengths of time and what is between them.
func SpanText(least, longest time.Duration) string {
	if least == longest {
		return plan.Duration(least)
	}
	return plan.Duration(least) + "–" + plan.Duration(longest)
}

// CounterName is the column of the job row that a counter is.
func CounterName(counter int) string { return worker.Counter(counter).String() }
