package worker

import (
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
)

func TestFullDatabaseBlamesNoRowAndLosesNothing(t *testing.T) {
	h := newHarness(t, notePolicy(), fails(errors.New(strings.Repeat("long ", 500))))
	h.queue.policy.detail.max = 10_000
	ids := map[string]bool{}
	for range 60 {
		ids[h.enqueue(note{}).JobID] = true
	}
	for _, c := range h.begin(h.token) {
		h.start(h.lanes[0], c)
	}
	for range ids {
		h.unwritten = append(h.unwritten, <-h.ended)
	}
	h.store.db.SetMaxOpenConns(1) // the limit is one of the connection
	h.exec("pragma max_page_count = 1")
	h.turn(t.Context(), true)
	if len(h.unwritten) != len(ids) || len(h.stubborn) != 0 {
		t.Errorf("%d kept, %d blamed", len(h.unwritten), len(h.stubborn))
	}
	h.exec("pragma max_page_count = 1000000")
	h.turn(t.Context(), true)
	if got := h.strings("select distinct length(error_detail) from " + ledgerTable); fmt.Sprint(got) != "[2500]" || h.running() != 0 {
		t.Errorf("lengths of details %v, %d running", got, h.running())
	}
}

func TestEveryAccessToTheJobTableIsByIndex(t *testing.T) {
	h := newHarness(t, notePolicy(), fails(nil))
	text := h.store.text
	for name, query := range map[string]string{
		"enqueue": text.enqueue, "existing": text.existing, "claim": text.claim, "claimAlone": text.claimAlone, "due": text.due, "finishLedger": text.finishLedger,
		"finishOK": text.finishOK, "finishDelete": text.finishDelete, "finishDone": text.finishDone, "finishJob": text.finishJob, "finishBack": text.finishBack, "recorded": text.recorded, "renew": text.renew,
		"company": text.company, "expired": text.expired, "stats": text.stats, "dead": text.dead,
	} {
		for _, step := range h.plan(query) {
			if strings.HasPrefix(step, "SCAN") && !strings.Contains(step, "USING") && !slices.ContainsFunc([]string{"r", "json_each", "(subquery", "test_clock", "CONSTANT"}, func(s string) bool {
				return strings.HasPrefix(strings.TrimPrefix(step, "SCAN "), s)
			}) {
				t.Errorf("%s: %s", name, step)
			}
		}
	}
}

// plan is how SQLite goes about a statement, step by step.
func (h *harness) plan(query string) (steps []string) {
	h.Helper()
	args := make([]any, strings.Count(query, "?")) // at least as many as it has
	for n := range args {
		if !strings.Contains(query, fmt.Sprintf("?%d", n+1)) {
			args = args[:n]
			break
		}
	}
	err := h.store.each(h.Context(), nil, "explain query plan "+query, args, func(rows *sql.Rows) error {
		var id, parent, unused int
		var step string
		err := rows.Scan(&id, &parent, &unused, &step)
		steps = append(steps, step)
		return err
	})
	if err != nil {
		h.Fatalf("%v\n%s", err, query)
	}
	return steps
}
