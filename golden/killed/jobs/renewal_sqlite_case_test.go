package jobs

import (
	"context"
	"database/sql"
	"runtime"
	"strings"
	"testing"
)

// A renewal waits for the transaction that is under way, and for none of those that stand in line behind it.
func TestRenewalGoesAheadOfAllThatStandInLine(t *testing.T) {
	h := newHarness(t, notePolicy(), fails(nil))
	h.enqueue(note{})
	c := h.begin(h.token)[0]
	lease := func(tx *sql.Tx) (until int64) {
		if err := tx.QueryRow("select lease_until from " + jobTable).Scan(&until); err != nil {
			t.Error(err)
		}
		return until
	}
	inside, leave := make(chan struct{}), make(chan struct{})
	before, after := make(chan int64, 1), make(chan int64, 1)
	write := func(fn func(*sql.Tx)) {
		if err := h.store.write(context.Background(), func(tx Tx) error { fn(tx); return nil }); err != nil {
			t.Error(err)
		}
	}
	go write(func(tx *sql.Tx) { close(inside); <-leave; before <- lease(tx) })
	<-inside
	go write(func(tx *sql.Tx) { after <- lease(tx) })
	go func() {
		if _, err := h.store.renew(context.Background(), 0, []leased{{c.jobID, c.attempt, 3_600_000}}, h.token); err != nil {
			t.Error(err)
		}
	}()
	h.until("the renewal waits", func() bool {
		stacks := make([]byte, 1<<20)
		for stack := range strings.SplitSeq(string(stacks[:runtime.Stack(stacks, true)]), "\n\n") {
			if strings.Contains(stack, "[select") && strings.Contains(stack, ").renew(") {
				return true
			}
		}
		return false
	})
	close(leave)
	if first, second := <-before, <-after; second <= first {
		t.Errorf("the lease ends at %d, then at %d: the transaction in line went before the renewal", first, second)
	}
}
