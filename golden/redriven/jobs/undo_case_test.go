package jobs

import (
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"
)

const jobsAsTheyStand = "select j::text from " + jobTable + " j order by job_id"

func TestUndoGivesBackWhatHasNotBegunAsItWas(t *testing.T) {
	s := newStage(t)
	s.unjudged()
	s.dead(50, "a")
	s.exec("update " + jobTable + " set dead_reason = 'crashes', crashes = 2, failures = 0, shared_crashes = 1, throttles = 4 where tenant_id = 'shop-3'")
	before := s.strings(jobsAsTheyStand)
	p := s.plan(DeadFilter{})
	if _, err := s.store.UndoRedrive(t.Context(), p.ID, ben); err == nil || !strings.Contains(err.Error(), "was never applied") {
		t.Error(err)
	}
	s.apply(p, ann)
	s.want("dead", s.count("state = 'dead'"), 0)
	back, err := s.store.UndoRedrive(t.Context(), p.ID, ben)
	if err != nil {
		t.Fatal(err)
	}
	s.want("back", back, 50)
	s.want("rows", s.strings(jobsAsTheyStand), before)
	s.want("results", s.results(p.ID), "[undone 50]")
	if again, err := s.store.UndoRedrive(t.Context(), p.ID, ben); err != nil || again != 0 {
		t.Error(again, err)
	}
	if _, err := s.store.ApplyRedrive(t.Context(), p.ID, p.Hash, ann, nil); err == nil || !strings.Contains(err.Error(), "is undone") {
		t.Error(err)
	}
	s.want("sent once more", s.apply(s.plan(DeadFilter{}), ann).Sent, 50)
}

// Each job is either dead as before, or the worker's: never both, and never neither.
func TestUndoRacesWithTheWorkersClaims(t *testing.T) {
	s := newStage(t)
	s.unjudged()
	for round := range 20 {
		s.exec("delete from " + jobTable)
		s.dead(60, fmt.Sprint(round))
		p := s.plan(DeadFilter{})
		s.apply(p, ann)
		s.exec("update " + jobTable + " set next_run_at = now() where state = 'scheduled'")
		var claims int
		var both sync.WaitGroup
		both.Go(func() {
			for range 12 {
				_, jobs, err := s.store.finish(t.Context(), nil, []want{{"charges", 5, time.Minute, false}}, "token", "test")
				if err != nil {
					t.Error(err)
					return
				}
				claims += len(jobs[0])
			}
		})
		back, err := s.store.UndoRedrive(t.Context(), p.ID, ben)
		both.Wait()
		if err != nil {
			t.Fatal(err)
		}
		s.want("dead again", s.count("state = 'dead' and generation = 1 and attempt = 2 and failures = 2"), back)
		s.want("running", s.count("state = 'running' and generation = 2 and attempt = 3"), claims)
		s.want("all", back+claims+s.count("state = 'scheduled'"), 60)
		s.want("not lost", s.count("state = 'scheduled'"), 0)
	}
}

func TestDiscardedKeyStaysTakenUntilItsRetentionEnds(t *testing.T) {
	s := newStage(t)
	s.work(failing)
	c := Charges{Event: "e1", Shop: "x"}
	if _, err := EnqueueCharges(t.Context(), s.store, c); err != nil {
		t.Fatal(err)
	}
	s.await("dead", func() bool { return s.count("state = 'dead'") == 1 })
	before := s.strings(jobsAsTheyStand)
	discard := func() RedrivePlan {
		p, err := s.store.PlanDiscard(t.Context(), DeadFilter{})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := s.store.ApplyRedrive(t.Context(), p.ID, p.Hash, Signed{Operator: "ann"}, nil); err == nil {
			t.Error("it is discarded without a reason")
		}
		if r, err := s.store.ApplyRedrive(t.Context(), p.ID, p.Hash, ann, nil); err != nil || r.State != "done" || r.Sent != 1 {
			t.Fatalf("%+v %v", r, err)
		}
		return p
	}
	p := discard()
	s.want("result", s.results(p.ID), "[discarded 1]")
	again, err := EnqueueCharges(t.Context(), s.store, c)
	if err != nil || !again.Duplicate || again.State != "cancelled" {
		t.Errorf("%+v %v", again, err)
	}
	if back, err := s.store.UndoRedrive(t.Context(), p.ID, ben); err != nil || back != 1 {
		t.Error(back, err)
	}
	s.want("rows", s.strings(jobsAsTheyStand), before)
	discard()

	old := func(d string) { // everything but the discarding is that old
		s.exec("alter table " + ledgerTable + " disable trigger user")
		s.exec("update " + ledgerTable + " set attempted_at = now() - interval '" + d + "'")
	}
	old("90 days")
	purge := func() int {
		done, err := s.store.Purge(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return done.Jobs
	}
	s.want("purged of one discarded just now", purge(), 0)
	s.exec("update " + redriveItems + " set at = now() - interval '61 days'")
	s.want("purged of one discarded long ago", purge(), 1)
	if r, err := EnqueueCharges(t.Context(), s.store, c); err != nil || r.Duplicate {
		t.Errorf("%+v %v", r, err)
	}
}

// A key is there for as long as a person may still send the job back.
func TestPurgeWaitsForDeadJobsAndTheirKeys(t *testing.T) {
	s := newStage(t)
	stop := s.work(failing)
	c := Charges{Event: "e1", Shop: "x"}
	first, err := EnqueueCharges(t.Context(), s.store, c)
	if err != nil {
		t.Fatal(err)
	}
	s.await("dead", func() bool { return s.count("state = 'dead'") == 1 })
	stop()
	s.exec("alter table " + ledgerTable + " disable trigger user")
	s.exec("update " + ledgerTable + " set attempted_at = now() - interval '400 days'")
	s.exec("update " + jobTable + " set dead_at = now() - interval '400 days', created_at = now() - interval '400 days'")
	if done, err := s.store.Purge(t.Context()); err != nil || done.Jobs != 0 {
		t.Errorf("%+v %v", done, err)
	}
	p := s.plan(DeadFilter{})
	if !strings.Contains(strings.Join(p.Warnings, "\n"), "1 of them have a key that is nearly as old as keys are kept") {
		t.Errorf("%q", p.Warnings)
	}
	s.unjudged()
	s.apply(p, ann)
	if done, err := s.store.Purge(t.Context()); err != nil || done.Jobs != 0 {
		t.Errorf("%+v %v", done, err)
	}
	if again, err := EnqueueCharges(t.Context(), s.store, c); err != nil || !again.Duplicate || again.JobID != first.JobID {
		t.Errorf("%+v %v", again, err)
	}
}

func TestPlanWarnsOfWhatToThinkOfFirst(t *testing.T) {
	s := newStage(t)
	s.dead(4, "a")
	s.exec("update " + jobTable + " set generation = 3 where tenant_id = 'shop-1'")
	s.exec(`insert into ` + jobTable + ` (job_id, queue, payload, payload_sha256, schema_hash, policy_hash, created_at, next_run_at)
		values (gen_random_uuid(), 'charges', '{}', '', '', '', now(), now() - interval '1 hour')`)
	all := strings.Join(s.plan(DeadFilter{}).Warnings, "\n")
	for _, want := range []string{"1 of them have been through their budgets 3 times", "charges: 4 jobs with at most 2 attempts each that fail are 8", "has waited for 1h0m0s and none is running"} {
		if !strings.Contains(all, want) {
			t.Errorf("%q lacks %q", all, want)
		}
	}
	s.want("sent", func() int { s.unjudged(); s.rules.queueAge = forever; return s.apply(s.plan(DeadFilter{}), ann).Sent }(), 3)
}

func TestAmendedPayloadIsSentBackAndBothHashesAreOnRecord(t *testing.T) {
	s := newStage(t)
	stop := s.work(failing)
	amount := func(n int64) *int64 { return &n }
	first, err := EnqueueCharges(t.Context(), s.store, Charges{Event: "e1", Shop: "x", Amount: amount(5)})
	if err != nil {
		t.Fatal(err)
	}
	report, err := EnqueueReports(t.Context(), s.store, Reports{Page: 1})
	if err != nil {
		t.Fatal(err)
	}
	s.await("dead", func() bool { return s.count("state = 'dead'") == 2 })
	stop()
	before := s.strings(jobsAsTheyStand)
	for name, try := range map[string]func() error{
		"another key": func() error {
			_, err := AmendCharges(t.Context(), s.store, first.JobID, Charges{Event: "e2", Shop: "x"}, ann)
			return err
		},
		"an empty key": func() error {
			_, err := AmendCharges(t.Context(), s.store, first.JobID, Charges{Shop: "x"}, ann)
			return err
		},
		"another queue": func() error {
			_, err := AmendReports(t.Context(), s.store, first.JobID, Reports{Page: 2}, ann)
			return err
		},
		"no reason": func() error {
			_, err := AmendReports(t.Context(), s.store, report.JobID, Reports{Page: 2}, Signed{})
			return err
		},
		"no such job": func() error { _, err := AmendReports(t.Context(), s.store, "x", Reports{Page: 2}, ann); return err },
		"what is not text": func() error {
			_, err := AmendCharges(t.Context(), s.store, first.JobID, Charges{Event: "e1", Shop: "\xff"}, ann)
			return err
		},
	} {
		if err := try(); err == nil {
			t.Error(name + " is taken")
		}
	}
	s.want("rows", s.strings(jobsAsTheyStand), before)

	r, err := AmendCharges(t.Context(), s.store, first.JobID, Charges{Event: "e1", Shop: "y", Amount: amount(6)}, ann)
	if err != nil || r.Kind != "amend" || r.State != "done" || r.Sent != 1 {
		t.Fatalf("%+v %v", r, err)
	}
	s.want("row", s.strings("select state || ' ' || generation || ' ' || tenant_id || ' ' || amount || ' ' || convert_from(payload, 'UTF8') from "+jobTable+" where job_id = $1", first.JobID),
		`[scheduled 2 y 6 {"event":"e1","shop":"y","amount":6}]`)
	items, err := s.store.RedriveItems(t.Context(), r.ID, "", 0, 10)
	if err != nil || len(items) != 1 || len(items[0].PayloadBefore) != 64 || len(items[0].PayloadAfter) != 64 || items[0].PayloadBefore == items[0].PayloadAfter {
		t.Errorf("%+v %v", items, err)
	}
	if _, err := AmendCharges(t.Context(), s.store, first.JobID, Charges{Event: "e1", Shop: "z"}, ann); err == nil || !strings.Contains(err.Error(), "not dead, but scheduled") {
		t.Error(err)
	}
	if back, err := s.store.UndoRedrive(t.Context(), r.ID, ben); err != nil || back != 1 {
		t.Error(back, err)
	}
	s.want("rows", s.strings(jobsAsTheyStand), before)
	if _, err := AmendReports(t.Context(), s.store, report.JobID, Reports{Page: 2}, ann); err != nil {
		t.Error(err)
	}
	if _, err := s.store.Redrive(t.Context(), "no id"); !errors.Is(err, ErrNoRedrive) {
		t.Error(err)
	}
	all, next, err := s.store.Redrives(t.Context(), "", 1)
	if err != nil || len(all) != 1 || next == "" {
		t.Error(all, next, err)
	}
	if all, next, err = s.store.Redrives(t.Context(), next, 1); err != nil || len(all) != 1 || next != "" || all[0].ID != r.ID {
		t.Error(all, next, err)
	}
}
