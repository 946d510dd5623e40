package simulate

import (
	"fmt"
	"math"
	"slices"
	"testing"
	"time"

	"github.com/retryc/retryc/templates/worker"
)

// fails is a class whose errors climb a ladder with a jitter.
func fails(spread float64, rungs ...time.Duration) Class {
	l := &worker.Ladder{Rungs: rungs, Min: 1 - spread, Max: 1 + spread}
	f := worker.Failing{Queue: l, Caps: worker.Caps{Attempts: 1000, Throttles: 1000, Delay: 24 * time.Hour, RetryAfter: 24 * time.Hour, Window: 1000 * time.Hour}}
	return Class{Decider: f.Decider()}
}

func play(t testing.TB, s Scenario) *Result {
	t.Helper()
	if s.Failing == 0 {
		s.Failing = 1
	}
	if s.Overload.Decider == nil {
		s.Overload = s.Down
	}
	r, err := Run(s)
	if err != nil {
		t.Fatal(err)
	}
	if !r.Complete {
		t.Fatal("it did not end")
	}
	return r
}

func perSecond(n int64) Rate { return Rate{Jobs: n, Per: time.Second} }

// Without jitter each rung is the arrivals once more, moved by the sum of the waits before it.
func TestFixedLadderIsTheArrivalsMoved(t *testing.T) {
	const rate = 50
	rungs := []time.Duration{30 * time.Second, 2 * time.Minute, 10 * time.Minute}
	for _, outage := range []time.Duration{10 * time.Second, 100 * time.Second, 10 * time.Minute, time.Hour} {
		r := play(t, Scenario{Outage: outage, Rate: perSecond(rate), Down: fails(0, rungs...)})
		jobs := func(d time.Duration) int64 { return rate * int64(max(0, d)/time.Second) }
		sum, drain := time.Duration(0), time.Duration(0)
		for k, rung := range rungs {
			want := jobs(outage - sum)
			sum += rung
			if want == 0 {
				if len(r.Rungs) > k {
					t.Errorf("%s: rung %d is climbed", outage, k+1)
				}
				continue
			}
			drain = rung // by the job whose attempt before it was the last of the outage
			if r.Rungs[k].Attempts != want || r.Rungs[k].Peak.Count != rate {
				t.Errorf("%s: rung %d: %+v, want %d attempts", outage, k+1, r.Rungs[k], want)
			}
		}
		var dead []Dead
		if n := jobs(outage - sum); n > 0 {
			dead = []Dead{{"failures", n}}
		}
		if !slices.Equal(r.Dead, dead) {
			t.Errorf("%s: dead %v, want %v", outage, r.Dead, dead)
		}
		if r.Hit != jobs(outage) || r.Drain > drain || r.Drain < drain-time.Second/rate {
			t.Errorf("%s: %d hit, drained after %s, want %d and %s", outage, r.Hit, r.Drain, jobs(outage), drain)
		}
	}
}

// An outage that is longer than the ladder makes every rung climbed at once.
func TestLongOutageIsMetByAsManyRetriesAsThereAreRungs(t *testing.T) {
	r := play(t, Scenario{Outage: 10 * time.Minute, Rate: perSecond(20), Down: fails(0, 10*time.Second, 20*time.Second, 30*time.Second)})
	if r.Peak.Count != 60 || r.Peak.At != time.Minute || r.PeakAfter.Count != 60 || r.PeakAfter.At != 10*time.Minute {
		t.Errorf("peak %+v, after the outage %+v", r.Peak, r.PeakAfter)
	}
	for _, c := range r.Rungs {
		if c.InPeak != 20 {
			t.Errorf("%+v", c)
		}
	}
}

// With one rung that waits w, a job dies if it arrives more than w before the end; w is spread evenly from low to high.
func TestJitterIsTheShareOfItsRange(t *testing.T) {
	const rate = 400
	outage, rung := 4*time.Minute, 2*time.Minute
	r := play(t, Scenario{Outage: outage, Rate: perSecond(rate), Down: fails(0.5, rung), Seed: 7})
	expect := (outage - rung).Seconds() * rate // the mean of outage-w, as no w is above outage
	if dead := float64(r.Dead[0].Jobs); math.Abs(dead-expect) > 4*math.Sqrt(expect) {
		t.Errorf("%v are dead, want about %v", dead, expect)
	}
	w := r.Rungs[0]
	if w.Least != time.Minute || w.Longest != 3*time.Minute || w.Attempts != r.Hit {
		t.Errorf("%+v", w)
	}
}

// Where each attempt fails with a probability, the attempts of a job are a geometric series.
func TestPartOfTheAttemptsFails(t *testing.T) {
	const share = 0.3
	r := play(t, Scenario{Outage: time.Hour, Rate: perSecond(100), Failing: share, Down: fails(0, time.Second, time.Second, time.Second), Seed: 3})
	want := float64(r.Hit) / share
	for k, c := range r.Rungs {
		want *= share
		if math.Abs(float64(c.Attempts)-want) > 5*math.Sqrt(want) {
			t.Errorf("rung %d has %d attempts, want about %.0f", k+1, c.Attempts, want)
		}
	}
	if dead := float64(r.Dead[0].Jobs); math.Abs(dead-want*share) > 5*math.Sqrt(want*share) {
		t.Errorf("%.0f are dead, want about %.0f", dead, want*share)
	}
}

// A batch comes back as one, a rung later, and jitter takes it apart.
func TestBatchIsAHerdWithoutJitter(t *testing.T) {
	s := Scenario{Outage: time.Minute, Rate: perSecond(10), Every: time.Hour, Down: fails(0, 2*time.Minute)}
	r := play(t, s)
	const batch = 36000
	if r.Peak != (Moment{batch, 2 * time.Minute}) || r.Drain != time.Minute || r.Half != time.Minute+time.Second {
		t.Errorf("peak %+v, drained after %s, half of it after %s", r.Peak, r.Drain, r.Half)
	}
	herd := (&Simulated{s, r}).Herd()
	if herd == nil || herd.Peak.Count != batch || herd.InPeak != batch {
		t.Errorf("herd %+v", herd)
	}
	s.Down = fails(0.25, 2*time.Minute) // over a minute
	if r := play(t, s); r.Peak.Count < batch/60 || r.Peak.Count > batch/60*5/4 {
		t.Errorf("with jitter the peak is %+v", r.Peak)
	}
}

// Fifty jobs come at the start of each second, and sixty can succeed. Those of the outage come back 20 s later, all at once with
// new ones: of these, ten succeed, and forty come back 20 s later, when they leave room for twenty; and so on until all fit.
func TestCapacityIsForWhoeverComesFirst(t *testing.T) {
	r := play(t, Scenario{
		Outage: 10 * time.Second, Rate: perSecond(50), Every: time.Second, Capacity: 60,
		Down: fails(0, 20*time.Second, 20*time.Second),
	})
	if r.Hit != 10*(50+40+30+20+10) || len(r.Dead) != 0 || r.Drain != 99*time.Second {
		t.Errorf("%d hit, %v dead, drained after %s", r.Hit, r.Dead, r.Drain)
	}
	if r.Peak != (Moment{50, 20 * time.Second}) || r.Busiest != (Moment{100, 20 * time.Second}) || r.Waiting != (Moment{500, 9 * time.Second}) {
		t.Errorf("peak %+v, busiest %+v, waiting %+v", r.Peak, r.Busiest, r.Waiting)
	}
	if r.Half != 37*time.Second || r.Most != 99*time.Second {
		t.Errorf("half of them after %s, 99 of 100 after %s", r.Half, r.Most)
	}
}

func TestErrorsAboveTheCapacityClimbTheirOwnLadder(t *testing.T) {
	throttled := worker.Failing{
		Queue: &worker.Ladder{Rungs: []time.Duration{time.Second}, Min: 1, Max: 1}, Throttles: true,
		Caps: worker.Caps{Attempts: 2, Throttles: 3, Delay: time.Hour, RetryAfter: time.Hour, Window: time.Hour},
	}
	s := Scenario{
		Outage: 10 * time.Second, Rate: perSecond(10), Capacity: 11, Down: fails(0, 10*time.Second),
		Overload: Class{Decider: throttled.Decider(), Throttles: true},
	}
	r := play(t, s)
	if len(r.Dead) != 1 || r.Dead[0].Reason != "throttles" {
		t.Errorf("dead %v", r.Dead)
	}
	if len(r.Rungs) != 2 || r.Rungs[0].Overload || !r.Rungs[1].Overload || r.Rungs[1].Number != 1 {
		t.Errorf("%+v", r.Rungs)
	}
}

// Ten runs at once of five seconds each are two a second, whatever is due.
func TestWorkersBoundWhatRuns(t *testing.T) {
	s := Scenario{
		Outage: 5 * time.Minute, Rate: perSecond(1), Slots: 10, Takes: 5 * time.Second, FailsIn: 5 * time.Second,
		Down: fails(0, 10*time.Second, time.Minute, time.Minute, time.Minute),
	}
	r := play(t, s)
	for i, c := range r.Seconds[1:] {
		if i > 5 && c.First+c.Retries+r.Seconds[i].First+r.Seconds[i].Retries > 2*10 {
			t.Errorf("second %d: %+v", i+1, c)
		}
	}
	attempts := 0
	for _, c := range r.Seconds {
		attempts += c.First + c.Retries
	}
	if limit := 2*len(r.Seconds) + 10; attempts > limit {
		t.Errorf("%d attempts in %d s", attempts, len(r.Seconds))
	}
}

// Two runs at once of ten seconds each are a fifth of what arrives. What has not begun when the outage is over begins then, four in a
// second, of which one is new: eighty jobs take 27 s.
func TestBacklogOfFewWorkersDrainsWithTheirSpeed(t *testing.T) {
	r := play(t, Scenario{
		Outage: 100 * time.Second, Rate: perSecond(1), Slots: 2, Takes: 500 * time.Millisecond, FailsIn: 10 * time.Second, Down: fails(0, time.Hour),
	})
	if r.Hit != 20 || r.Rungs[0].Attempts != 20 {
		t.Fatalf("%d jobs failed: %+v", r.Hit, r.Rungs)
	}
	begun := 0
	for i, c := range r.Seconds[:135] {
		begun += c.First
		arrived := i + 1
		if caughtUp := begun == arrived; i >= 2 && i < 100+24 && caughtUp || i > 100+29 && !caughtUp {
			t.Errorf("second %d: %d of %d jobs have begun", i, begun, arrived)
		}
		if i >= 101 && i < 100+24 && c.First != 4 {
			t.Errorf("second %d: %d jobs begin", i, c.First)
		}
	}
}

func TestRetryAfterNamesTheEnd(t *testing.T) {
	down := fails(0, time.Second)
	down.Honors = true
	r := play(t, Scenario{Outage: time.Minute, Rate: perSecond(5), AskedEnd: true, Down: down})
	if r.Peak.Count != 300 || r.Peak.At != time.Minute || r.Hit != 300 || len(r.Dead) != 0 {
		t.Errorf("peak %+v of %d", r.Peak, r.Hit)
	}
}

func TestRetryAfterMovesEveryRetry(t *testing.T) {
	down := fails(0, 10*time.Second, 10*time.Second)
	down.Honors = true
	r := play(t, Scenario{Outage: time.Minute, Rate: perSecond(1), Asked: 2 * time.Minute, Down: down})
	if r.Hit != 60 || len(r.Rungs) != 1 || r.Rungs[0].Attempts != 60 || r.Drain > 2*time.Minute || r.Drain < 2*time.Minute-time.Second {
		t.Errorf("%+v, drained after %s", r.Rungs, r.Drain)
	}
}

func TestArrivalsOneByOneAreNoHerd(t *testing.T) {
	for _, rate := range []int64{1, 10, 1000} {
		for _, jitter := range []float64{0, 0.25, 1} {
			s := Scenario{Outage: 20 * time.Minute, Rate: perSecond(rate), Down: fails(jitter, 30*time.Second, 5*time.Minute)}
			if herd := (&Simulated{s, play(t, s)}).Herd(); herd != nil {
				t.Errorf("rate %d, jitter %v: %+v", rate, jitter, herd)
			}
		}
	}
}

func TestSeedDecidesAll(t *testing.T) {
	s := Scenario{Outage: time.Minute, Rate: perSecond(100), Capacity: 150, Failing: 0.9, Down: fails(0.25, 10*time.Second, time.Minute), Seed: 1}
	first, again := fmt.Sprint(play(t, s)), fmt.Sprint(play(t, s))
	s.Seed = 2
	if other := fmt.Sprint(play(t, s)); first != again || first == other {
		t.Errorf("the same seed gives the same: %t, another gives another: %t", first == again, first != other)
	}
}

func TestNumbersThatCannotWorkAreRefused(t *testing.T) {
	for want, s := range map[string]Scenario{
		"a capacity of 10/s leaves nothing for retries: 10 jobs arrive in the busiest second": {Outage: time.Minute, Rate: perSecond(10), Capacity: 10},
		"a capacity of 50/s leaves nothing for retries: 60 jobs arrive in the busiest second": {Outage: time.Minute, Rate: perSecond(1), Every: time.Minute, Capacity: 50},
		"the workers leave nothing for retries: 4 at once, 1s each, are 4 runs in a second, and 10 jobs arrive": {
			Outage: time.Minute, Rate: perSecond(10), Slots: 4, Takes: time.Second},
		"batches that are 1s apart would have 0.5 jobs each: choose a rate and a distance with a whole number": {
			Outage: time.Minute, Rate: Rate{Jobs: 30, Per: time.Minute}, Every: time.Second},
		"an outage of more than 15 days cannot be simulated": {Outage: 16 * 24 * time.Hour, Rate: perSecond(10)},
	} {
		s.Down = fails(0, time.Second)
		s.Overload = s.Down
		if _, err := Run(s); err == nil || err.Error() != want {
			t.Errorf("error %v, want %s", err, want)
		}
	}
}

// 10,000,000 jobs that fail, of which each climbs four rungs.
func BenchmarkTenMillionJobs(b *testing.B) {
	s := Scenario{
		Outage: 10_000 * time.Second, Rate: perSecond(1000), Capacity: 4000, Failing: 1,
		Down: fails(0.25, 30*time.Second, 2*time.Minute, 10*time.Minute, time.Hour),
	}
	for b.Loop() {
		r := play(b, s)
		attempts := r.Hit
		for _, c := range r.Rungs {
			attempts += c.Attempts
		}
		b.ReportMetric(float64(r.Hit), "jobs")
		b.ReportMetric(float64(attempts), "attempts")
	}
}
