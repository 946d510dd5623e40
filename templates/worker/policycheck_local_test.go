package worker

import (
	"errors"
	"fmt"
	"io"
	"net"
	"testing"
	"time"
)

// recorder is a test that only notes its failures.
type recorder struct {
	testing.TB
	failures []string
}

func (r *recorder) Helper()             {}
func (r *recorder) Logf(string, ...any) {}
func (r *recorder) Errorf(format string, args ...any) {
	r.failures = append(r.failures, fmt.Sprintf(format, args...))
}

// wantVerdict checks that a table which is right passes, and that each of those that are wrong does not.
func wantVerdict[C any](t *testing.T, check func(testing.TB, []C), right []C, wrong ...C) {
	t.Helper()
	r := &recorder{TB: t}
	if check(r, right); len(r.failures) > 0 {
		t.Errorf("a right table fails: %q", r.failures)
	}
	for _, w := range wrong {
		r := &recorder{TB: t}
		if check(r, []C{w}); len(r.failures) == 0 {
			t.Errorf("a wrong row passes: %+v", w)
		}
	}
}

var checkedLadder = ladder{rungs: []time.Duration{time.Minute, time.Hour}, min: 0.5, max: 1.5}

func checkedPolicy() *policyTable {
	p := notePolicy()
	p.tiers = map[string]*ladder{"paid": &checkedLadder}
	p.classes = []errorClass{
		{name: "busy", outcome: transient, budget: throttles, ladder: &checkedLadder, when: []condition{
			httpStatus(any5xx), sqlState("40001"), timedOut, messageMatches("^try later$"), as[*net.OpError](),
		}, on: []error{errTimeout}},
		{name: "never", outcome: permanent, when: []condition{is(errNever), is(io.EOF)}, on: []error{errCrashed}},
	}
	return p
}

func TestLadderTablesAreChecked(t *testing.T) {
	first, second := span{30 * time.Second, 90 * time.Second}, span{20 * time.Minute, time.Hour}
	wantVerdict(t, func(t testing.TB, c []ladderCase) { checkLadders(t, checkedPolicy(), c) },
		[]ladderCase{{"a", &checkedLadder, []span{first, second}}},
		ladderCase{"a", &checkedLadder, []span{first}},
		ladderCase{"a", &checkedLadder, []span{first, second, second}},
		ladderCase{"a", &checkedLadder, []span{{31 * time.Second, 90 * time.Second}, second}},
		ladderCase{"a", &checkedLadder, []span{{0, 90 * time.Second}, second}},
		ladderCase{"a", &checkedLadder, []span{{30 * time.Second, 2 * time.Minute}, second}},
	)
}

func TestChoiceTablesAreChecked(t *testing.T) {
	own := noteLadder()
	q := &queueTable{policy: checkedPolicy(), ladder: own}
	wantVerdict(t, checkChoices,
		[]choiceCase{{q, "", "", own}, {q, "free", "never", own}, {q, "paid", "", &checkedLadder}, {q, "", "busy", &checkedLadder}},
		choiceCase{q, "", "", &checkedLadder}, choiceCase{q, "paid", "", own}, choiceCase{q, "", "busy", own},
	)
}

func TestRetryAfterNamesAreChecked(t *testing.T) {
	p := checkedPolicy()
	p.classes[0].retryAfter = true
	wantVerdict(t, func(t testing.TB, names []string) { checkRetryAfter(t, p, names...) }, []string{"busy"}, "never")
}

func TestClassTablesAreChecked(t *testing.T) {
	wantVerdict(t, func(t testing.TB, c []classCase) { checkClasses(t, checkedPolicy(), c) },
		[]classCase{
			{httpSample(503), "busy", transient, throttles},
			{sqlStateSample("40001"), "busy", transient, throttles},
			{timeoutSample{}, "busy", transient, throttles},
			{textSample("try later"), "busy", transient, throttles},
			{zeroSample[*net.OpError](), "busy", transient, throttles},
			{zeroSample[net.Error](), "busy", transient, throttles}, // skipped: an interface
			{zeroSample[panicking](), "busy", transient, throttles}, // skipped: it cannot be asked
			{errTimeout, "busy", transient, throttles},
			{errCrashed, "never", permanent, crashes},
			{io.EOF, "never", permanent, failures},
			{errPanic, "panic", transient, failures},
			{errors.New("other"), "unmatched", transient, failures},
		},
		classCase{httpSample(503), "never", permanent, failures},
		classCase{httpSample(503), "busy", permanent, throttles},
		classCase{httpSample(503), "busy", transient, failures},
		classCase{errors.New("try later"), "busy", transient, throttles}, // wrapped, it reads otherwise
		classCase{errCrashed, "crashed", transient, crashes},
	)
}

type panicking struct{ cause error }

func (p panicking) Error() string { return p.cause.Error() }

func TestCapTablesAreChecked(t *testing.T) {
	wantVerdict(t, func(t testing.TB, c []capCase) { checkCaps(t, checkedPolicy(), c) },
		[]capCase{{failures, 10}, {throttles, 3}, {crashes, 2}, {interrupts, 4}, {snoozes, 3}},
		capCase{failures, 9}, capCase{failures, 11}, capCase{snoozes, 4},
	)
	type limits struct{ delay, retryAfter, window time.Duration }
	wantVerdict(t, func(t testing.TB, c []limits) {
		checkLimits(t, checkedPolicy(), c[0].delay, c[0].retryAfter, c[0].window)
	},
		[]limits{{time.Hour, 2 * time.Hour, 24 * time.Hour}},
		limits{time.Hour + 1, 2 * time.Hour, 24 * time.Hour},
		limits{time.Hour, 2*time.Hour - 1, 24 * time.Hour},
		limits{time.Hour, 2*time.Hour + 1, 24 * time.Hour},
		limits{time.Hour, 2 * time.Hour, 24*time.Hour - 1},
		limits{time.Hour, 2 * time.Hour, 24*time.Hour + 1},
	)
}

func TestFactTablesAreChecked(t *testing.T) {
	q := &queueTable{name: "thumbnails"}
	f := facts{key: []any{"evt_1"}, tenant: *pointerTo("t1"), tier: "paid"}
	wantVerdict(t, checkKeys,
		[]keyCase{{q, f, `["evt_1"]`, "40e97027-70e3-8c83-a74c-e506ae6403e8"}},
		keyCase{q, f, `["evt_2"]`, "40e97027-70e3-8c83-a74c-e506ae6403e8"},
		keyCase{q, f, `["evt_1"]`, "40e97027-70e3-8c83-a74c-e506ae6403e9"},
	)
	wantVerdict(t, checkTenants, []tenantCase{{q, f, "t1", "paid"}}, tenantCase{q, f, "t2", "paid"}, tenantCase{q, f, "t1", "free"})
}
