//go:build unix

package jobs

import (
	"errors"
	"fmt"
	"os"
	"testing"

	"github.com/retryc/retryc/golden/pgserver"
)

// Five connections to the server serve three processes: no setting and no statement may outlive its transaction.
func TestProcessesBehindATransactionPoolerLoseNothing(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	h := s.theatre("app", "2s")
	s.set("alter role app set search_path = app_jobs") // the pooler passes no setting on
	pooler, err := s.Pool(5, "app")
	if err != nil {
		if errors.Is(err, pgserver.ErrMissing) && os.Getenv("CI") != "true" {
			t.Skip(err)
		}
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = pooler.Close() })
	h.env = []string{"DB=" + pooler.URL("app") + "&default_query_exec_mode=cache_describe", "SEARCH_PATH=", "POOL=4"}
	enqueued := map[string]bool{}
	for i := range 40 {
		enqueued[h.plain([]string{"nothing", "fail once", "fail"}[i%3])] = true
		enqueued[h.paid(fmt.Sprint(i), []string{"effect", "fail once effect"}[i%2])] = true
	}
	var all []*child
	for range 3 {
		all = append(all, h.start("worker"))
	}
	for i := range 20 {
		enqueued[h.paid(fmt.Sprint("later ", i), "effect")] = true
	}
	h.over()
	for _, p := range all {
		p.stop()
	}
	h.audit(enqueued)
	if got := h.strings("select class from " + ledgerTable + " where class is not null and class <> 'unmatched'"); len(got) > 0 {
		t.Errorf("attempts ended as %q", got)
	}
}
