package jobs

import (
	"errors"
	"strings"
	"testing"
	"time"
)

func TestTenThousandAndFiftyDeadLettersAreAllListed(t *testing.T) {
	s := newStage(t)
	s.dead(10_050, "a")
	before := s.strings("select md5(string_agg(j::text, ',' order by job_id)) from " + jobTable + " j")
	seen := map[string]bool{}
	last := time.Now().Add(time.Hour)
	for page := (DeadPage{Next: ""}); ; {
		var err error
		if page, err = s.store.DeadLetters(t.Context(), DeadFilter{}, page.Next, 1000); err != nil {
			t.Fatal(err)
		}
		for _, d := range page.Letters {
			if seen[d.JobID] || d.DeadAt.After(last) {
				t.Fatalf("%+v comes twice, or in another order", d)
			}
			seen[d.JobID], last = true, d.DeadAt
		}
		if page.Next == "" {
			break
		}
	}
	s.want("letters", len(seen), 10_050)
	groups, err := s.store.DeadGroups(t.Context(), DeadFilter{})
	if err != nil || len(groups) != 1 || groups[0].Jobs != 10_050 || !groups[0].First.Before(groups[0].Last) {
		t.Errorf("%+v %v", groups, err)
	}
	p := s.plan(DeadFilter{})
	s.want("the plan", p.Jobs, 10_050)
	s.want("rows after reading", s.strings("select md5(string_agg(j::text, ',' order by job_id)) from "+jobTable+" j"), before)
}

func TestDeadLettersAreFiltered(t *testing.T) {
	s := newStage(t)
	s.dead(20, "a")
	s.dead(3, "b")
	s.exec("update " + jobTable + " set dead_at = now() - interval '3 days', last_class = 'refused', dead_reason = 'permanent' where fingerprint = 'b'")
	one := s.strings("select job_id::text from " + jobTable + " where fingerprint = 'b' limit 1")
	for name, c := range map[string]struct {
		f    DeadFilter
		want int
	}{
		"all":          {DeadFilter{}, 23},
		"queue":        {DeadFilter{Queue: "charges"}, 23},
		"other queue":  {DeadFilter{Queue: "reports"}, 0},
		"class":        {DeadFilter{Class: "refused"}, 3},
		"reason":       {DeadFilter{Reason: "permanent"}, 3},
		"fingerprint":  {DeadFilter{Fingerprint: "a"}, 20},
		"tenant":       {DeadFilter{Tenant: "shop-1", Fingerprint: "b"}, 1},
		"dead for":     {DeadFilter{DeadFor: 48 * time.Hour}, 3},
		"dead within":  {DeadFilter{DeadWithin: 48 * time.Hour}, 20},
		"job":          {DeadFilter{JobIDs: one}, 1},
		"job and less": {DeadFilter{JobIDs: one, Fingerprint: "a"}, 0},
	} {
		page, err := s.store.DeadLetters(t.Context(), c.f, "", 100)
		if err != nil || len(page.Letters) != c.want || page.Next != "" {
			t.Errorf("%s: %d letters, want %d (%v)", name, len(page.Letters), c.want, err)
		}
		s.want("the plan of "+name, s.plan(c.f).Jobs, c.want)
	}
	if _, err := s.store.DeadLetters(t.Context(), DeadFilter{}, "somewhere", 1); err == nil {
		t.Error("a place that is none is taken")
	}
}

// Whoever looks for dead letters reads those, and not a table with millions of other jobs.
func TestDeadLettersAreReadByIndex(t *testing.T) {
	s := newStage(t)
	s.exec(`insert into ` + jobTable + ` (job_id, queue, payload, payload_sha256, schema_hash, policy_hash, state, created_at, next_run_at)
		select gen_random_uuid(), 'charges', '', '', '', '', 'done', now(), now() from generate_series(1, 20000)`)
	s.dead(500, "a")
	s.exec("analyze " + jobTable)
	f := DeadFilter{Queue: "charges", Fingerprint: "a"}
	id := "11111111-1111-7111-8111-111111111111"
	now := time.Now()
	for name, c := range map[string]struct {
		query string
		args  []any
	}{
		"page":    {redriving.deadPage, append(f.args(), &now, &id, 10)},
		"groups":  {redriving.deadGroups, f.args()},
		"plan":    {redriving.planned, append(f.args(), id, "redrive", "{}", 1, 3)},
		"history": {redriving.jobRow, []any{id}},
		"ledger":  {redriving.jobAttempts, []any{id}},
		"plans":   {redriving.jobItems, []any{id}},
		"items":   {redriving.itemPage, []any{id, 0, 10, nil}},
		"judge":   {redriving.judge, []any{id, 0, 10}},
		"ages":    {redriving.queueAges, []any{[]string{"charges"}}},
		"undo":    {redriving.undo, []any{id, []int{1}, []string{id}}},
	} {
		var steps []string
		err := lookIn(t.Context(), s.pool, "explain "+s.store.timed(c.query), c.args, func(rows dbRows) error {
			var step string
			err := rows.Scan(&step)
			steps = append(steps, step)
			return err
		})
		if err != nil {
			t.Fatal(name, err)
		}
		plan := strings.Join(steps, "\n")
		for _, table := range []string{jobTable, ledgerTable, redriveItems} {
			if strings.Contains(plan, "Seq Scan on "+table+" ") {
				t.Errorf("%s reads all of %s:\n%s", name, table, plan)
			}
		}
	}
}

func TestHistoryHasTheWholeLedgerAndEveryPlan(t *testing.T) {
	s := newStage(t)
	stop := s.work(failing)
	r, err := EnqueueCharges(t.Context(), s.store, Charges{Event: "e1", Shop: "x"})
	if err != nil {
		t.Fatal(err)
	}
	s.await("dead", func() bool { return s.count("state = 'dead'") == 1 })
	stop()
	s.unjudged()
	s.apply(s.plan(DeadFilter{}), ann)
	h, err := s.store.History(t.Context(), r.JobID)
	if err != nil {
		t.Fatal(err)
	}
	s.want("state", h.State, "scheduled")
	s.want("key", h.IdempotencyKey, `["e1"]`)
	s.want("attempts", len(h.Ledger), 2)
	s.want("payload", string(h.Payload), `{"event":"e1","shop":"x","amount":0}`)
	if len(h.Redrives) != 1 || h.Redrives[0].By != ann || h.Redrives[0].Result != "sent" {
		t.Errorf("%+v", h.Redrives)
	}
	var what []string
	for _, e := range h.Timeline() {
		what = append(what, e.What)
	}
	s.want("timeline", what, "[enqueued attempt attempt sent]")
	for _, id := range []string{"x", "11111111-1111-7111-8111-111111111111"} {
		if _, err := s.store.History(t.Context(), id); !errors.Is(err, ErrNoJob) {
			t.Error(id, err)
		}
	}
}
