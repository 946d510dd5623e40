package worker

import (
	"context"
	"slices"
	"testing"
	"time"
)

// harness is a process on a real database whose clock and handler are the test's. Nothing sleeps.
type harness struct {
	*testing.T
	*process
	queue *queueTable
}

// note is the payload of the harness's queue.
type note struct {
	Key  string `json:"key"`
	Text string `json:"text"`
}

func (note) Validate() error { return nil }

func (n note) facts() facts {
	if n.Key == "" {
		return facts{tenant: "t1"}
	}
	return facts{key: []any{n.Key}, tenant: "t1"}
}

func noteLadder() *ladder {
	return &ladder{rungs: []time.Duration{30 * time.Second, 2 * time.Minute}, min: 1, max: 1}
}

func notePolicy() *policyTable {
	return &policyTable{
		hash: "test", unmatched: transient, detail: detailTable{max: 200}, poll: time.Second, grace: time.Second,
		caps: caps{
			attempts: 10, throttles: 3, crashes: 2, interrupts: 4, snoozes: 3,
			delay: time.Hour, retryAfter: 2 * time.Hour, window: 24 * time.Hour,
		},
	}
}

func newHarness(t *testing.T, p *policyTable, handle func(context.Context, *Job[note]) error) *harness {
	t.Helper()
	store := newTestStore(t)
	q := &queueTable{name: "notes", schema: "s1", policy: p, ladder: noteLadder(), concurrency: 100, timeout: time.Minute, lease: time.Minute}
	h := &harness{T: t, queue: q}
	h.process = h.another(store, "process-1", handle)
	return h
}

// another is a second process on the same database.
func (h *harness) another(store *Store, token string, handle func(context.Context, *Job[note]) error) *process {
	h.Helper()
	p, err := newProcess(h.Context(), store, token, newWorker(h.queue, handle))
	if err != nil {
		h.Fatal(err)
	}
	return p
}

func (h *harness) exec(query string, args ...any) {
	h.Helper()
	if err := h.tryExec(query, args...); err != nil {
		h.Fatal(err)
	}
}

// refuse makes the database refuse rows of the ledger that fulfil a condition on new.
func (h *harness) refuse(condition string) {
	h.Helper()
	h.onLedgerInsert("before", condition, "")
}

func (h *harness) advance(d time.Duration) {
	h.exec("update test_clock set ms = ms + ?", d.Milliseconds())
}

func (h *harness) enqueue(n note) Receipt {
	h.Helper()
	r, err := enqueueOne(h.Context(), h.store, nil, h.queue, n)
	if err != nil {
		h.Fatal(err)
	}
	return r
}

// begin claims what is due for the process that holds token; its handlers do not run.
func (h *harness) begin(token string) []claimed {
	h.Helper()
	_, jobs, err := h.store.finish(h.Context(), nil, []want{{h.queue.name, 1, h.queue.lease, true}, {h.queue.name, 100, h.queue.lease, false}}, token, "test")
	if err != nil {
		h.Fatal(err)
	}
	return slices.Concat(jobs...)
}

// end runs a job that p has begun, and writes how it ended.
func (h *harness) end(p *process, c claimed) {
	p.start(p.lanes[0], c)
	p.collect(<-p.ended)
	p.turn(h.Context(), true)
}

// runDue runs what is due now, one job after the other, and answers how many attempts that were.
func (h *harness) runDue() int {
	h.Helper()
	jobs := h.begin(h.token)
	for _, c := range jobs {
		h.end(h.process, c)
	}
	return len(jobs)
}

// crash begins what is due in a process that dies at once, and lets its leases run out.
func (h *harness) crash() {
	h.Helper()
	h.begin("a process that dies")
	h.advance(h.queue.lease + time.Millisecond)
	if err := h.reap(h.Context()); err != nil {
		h.Fatal(err)
	}
}

// ledger is "attempt outcome class decision" of each attempt of the job.
func (h *harness) ledger(jobID string) []string {
	h.Helper()
	return h.strings("select attempt || ' ' || outcome || coalesce(' ' || class, '') || ' ' || decision || coalesce(' ' || dead_reason, '') from "+
		ledgerTable+" where job_id = ? order by attempt", jobID)
}

func (h *harness) wantLedger(jobID string, want ...string) {
	h.Helper()
	if got := h.ledger(jobID); !slices.Equal(got, want) {
		h.Errorf("ledger %q, want %q", got, want)
	}
}

// wantState checks the job's row; "" wants none.
func (h *harness) wantState(jobID, want string) {
	h.Helper()
	got := append(h.strings("select state from "+jobTable+" where job_id = ?", jobID), "")[0]
	if got != want {
		h.Errorf("state %q, want %q", got, want)
	}
}
