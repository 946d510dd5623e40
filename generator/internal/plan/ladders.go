package plan

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/retryc/retryc/spec"
	"github.com/retryc/retryc/templates/worker"
)

// ladders writes every ladder out and finds the default one.
func (b *builder) ladders() {
	for i := range b.doc.Ladders {
		src := &b.doc.Ladders[i]
		l := &Ladder{Spec: src, Name: src.Name, GoName: unexported(src.Name.V) + "Ladder", Rungs: src.Rungs, Min: 0.75, Max: 1.25}
		if src.Jitter.Pos.Valid() {
			l.Min, l.Max = src.Jitter.Min, src.Jitter.Max
		}
		if e := src.Exponential; e != nil {
			l.Rungs, l.Comment = b.writtenOut(e)
		}
		b.plan.Ladders = append(b.plan.Ladders, l)
		b.plan.Names.fixed(l.GoName, fmt.Sprintf("the ladder %q", src.Name.V), src.Name)
	}
	b.plan.DefaultLadder = b.ladder(b.doc.DefaultLadder)
}

// writtenOut is an exponential ladder rung by rung, and how the file says it. Each rung stands where its number is
// said.
func (b *builder) writtenOut(e *spec.Exponential) ([]spec.At[time.Duration], string) {
	limit := e.Cap.Or(b.plan.Caps.Delay.V)
	factor := e.Factor.Or(2)
	count := e.Rungs
	if !e.First.Set() || !count.Set() || count.V > maxRungs {
		return nil, ""
	}
	rungs := make([]spec.At[time.Duration], 0, max(0, count.V))
	for k := range count.V {
		rungs = append(rungs, spec.At[time.Duration]{V: exponential(e.First.V, factor, limit, k), Pos: count.Pos, Width: count.Width})
	}
	comment := fmt.Sprintf("exponential: first %s, factor %s, cap %s", Duration(e.First.V), strconv.FormatFloat(factor, 'g', -1, 64), Duration(limit))
	return rungs, comment
}

// maxRungs is more than any schema lets through; it keeps a refused number from filling the memory.
const maxRungs = 10_000

// exponential is first × factor^k in whole milliseconds, at least one and none above limit, whatever k is.
func exponential(first time.Duration, factor float64, limit time.Duration, k int) time.Duration {
	ms := math.Round(float64(first) / float64(time.Millisecond) * math.Pow(factor, float64(k)))
	if !(ms < float64(limit)/float64(time.Millisecond)) { // not a number counts as above
		return limit
	}
	return min(limit, max(time.Millisecond, time.Duration(ms)*time.Millisecond))
}

// Waits are what a job waits that fails on the ladder and in no other way; after the last of them it is dead. The
// runtime decides it, so that what is said of a ladder is what it does.
func (l *Ladder) Waits(c Caps) []worker.Wait {
	rungs := make([]time.Duration, len(l.Rungs))
	for i, r := range l.Rungs {
		rungs[i] = r.V
	}
	return worker.Waits(rungs, l.Min, l.Max, c.Attempts.V, c.Delay.V)
}

// Text is the ladder in a few words: 30s, 2m, 10m ±25%.
func (l *Ladder) Text() string {
	const most = 6
	var words []string
	for i, r := range l.Rungs {
		if last := len(l.Rungs) - 1; i == most-1 && i < last {
			words = append(words, "…", Duration(l.Rungs[last].V))
			break
		}
		words = append(words, Duration(r.V))
	}
	return strings.Join(words, ", ") + " " + l.Jitter()
}

// Jitter is that of the ladder in a few words.
func (l *Ladder) Jitter() string {
	percent := math.Round(1e4*(l.Max-1)) / 100
	switch {
	case l.Min == 1 && l.Max == 1:
		return "without jitter"
	case l.Min == 0 && l.Max == 1:
		return "full jitter"
	case l.Max > 1 && math.Abs(l.Min+l.Max-2) < 1e-9:
		return fmt.Sprintf("±%g%%", percent)
	}
	return fmt.Sprintf("times %g to %g", l.Min, l.Max)
}

// ladder finds the ladder that the file names at ref; nil where it names none or a wrong one.
func (b *builder) ladder(ref spec.Name) *Ladder {
	if !ref.Set() || ref.V == "" || !b.doc.LaddersPos.Valid() { // without ladders, that is what is missing
		return nil
	}
	var names []string
	for _, l := range b.plan.Ladders {
		if l.Name.V == ref.V {
			return l
		}
		names = append(names, l.Name.V)
	}
	d := errorAt(b, "RC201", ref, "there is no ladder %q", ref.V)
	d.Hint = didYouMean(ref.V, names, "declare it under ladders, or name one that is there")
	return nil
}
