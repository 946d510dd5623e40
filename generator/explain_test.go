package generator_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/retryc/retryc/generator"
	"github.com/retryc/retryc/templates/worker"
)

const explained = `version: 1
generate: {package: jobs, go: jobs}
caps: {attempts: 10, window: WINDOW}
ladders: {standard: {rungs: [30s, 2m, 10m, 3m], jitter: JITTER}}
default_ladder: standard
queues: {receipts: {payload: {order: int}, timeout: 20s}}
ledger: {dialect: sqlite}
`

// Jobs that the worker's decision function plays, with runs of any length, stay within what is said of them.
func TestLifeOfAJobIsWithinWhatIsExplained(t *testing.T) {
	for _, window := range []string{"48h", "16m", "14m", "12m", "3m", "25s"} {
		for jitter, factors := range map[string][2]float64{"none": {1, 1}, "25%": {0.75, 1.25}, "full": {0, 1}} {
			path := filepath.Join(t.TempDir(), "retry.yaml")
			if err := os.WriteFile(path, []byte(strings.NewReplacer("WINDOW", window, "JITTER", jitter).Replace(explained)), 0o600); err != nil {
				t.Fatal(err)
			}
			e, r, err := generator.Explain(path, "", "", "")
			if err != nil {
				t.Fatal(err)
			}
			if r.Diagnostics.HasErrors() { // of a ladder that does not fit the window
				t.Fatal(r.Diagnostics)
			}
			within, _ := time.ParseDuration(window)
			d := worker.Failing{
				Caps:  worker.Caps{Attempts: 10, Throttles: 20, Delay: time.Hour, RetryAfter: 6 * time.Hour, Window: within},
				Queue: &worker.Ladder{Rungs: []time.Duration{30 * time.Second, 2 * time.Minute, 10 * time.Minute, 3 * time.Minute}, Min: factors[0], Max: factors[1]},
			}.Decider()
			play(t, window+" "+jitter, e, d)
		}
	}
}

func play(t *testing.T, name string, e *generator.Explanation, d *worker.Decider) {
	const timeout = 20 * time.Second
	rows := e.Timeline().Rows
	earliest, latest := e.DeadAfter()
	first, last := 48*time.Hour, time.Duration(0) // of what is seen
	for job := range 20_000 {
		at := time.Duration(0)
		for n := 1; ; n++ {
			if n >= len(rows) || at < rows[n-1].Earliest || at > rows[n-1].Latest {
				t.Fatalf("%s: attempt %d begins after %s: %+v", name, n, at, rows)
			}
			run := time.Duration(worker.Fraction(worker.Seed(9, job, n))*3*float64(timeout)) - timeout // often none, often all
			at += min(max(run, 0), timeout)
			delay, dead := d.Decide(worker.Spent{Failures: n}, 0, at, worker.Seed(1, job, n))
			if dead == "" {
				at += delay
				continue
			}
			if n < e.Course.Latest.Attempts || n > e.Course.Soonest.Attempts || at < earliest || at > latest || !strings.Contains(e.Reasons(), dead) {
				t.Fatalf("%s: dead of %s after %d attempts and %s, and it is said to be %s after %s to %s", name, dead, n, at, e.Reasons(), earliest, latest)
			}
			first, last = min(first, at), max(last, at)
			break
		}
	}
	if wide := (latest - earliest) / 5; first > earliest+wide || last < latest-wide {
		t.Errorf("%s: dead after %s to %s, and %s to %s were seen", name, earliest, latest, first, last)
	}
}
