package jobs

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

func failing(context.Context, *Job[Charges]) error { return errors.New("the bank says no") }

func succeeding(context.Context, *Job[Charges]) error { return nil }

func TestWhoeverDecidesSaysWhoAndWhy(t *testing.T) {
	for _, by := range []Signed{
		{}, {"", ann.Reason}, {"  ", ann.Reason}, {"x", ann.Reason}, {"test", ann.Reason}, {"ann", ""}, {"ann", " \n\t "}, {"ann", "retry"}, {"ann", "test test test test"},
		{"ann", "aaaaaaaaaaaaaaaaaa"}, {"ann", "please retry again"}, {"ann", "............."}, {"ann", "fix it"}, {"ann", "abababababab"}, {"a\x00nn", ann.Reason},
	} {
		if _, err := by.check(); err == nil {
			t.Errorf("%+v is taken", by)
		}
	}
	for _, by := range []Signed{ann, ben, {"王芳", "支付服务的证书已经更新，可以重新发送了"}, {" ann@shop ", " INC-2041: certificate renewed "}} {
		if by, err := by.check(); err != nil || strings.TrimSpace(by.Operator) != by.Operator {
			t.Errorf("%+v: %v", by, err)
		}
	}
}

func TestNothingIsSentWithoutTheHashOrAReason(t *testing.T) {
	s := newStage(t)
	s.dead(3, "a")
	p := s.plan(DeadFilter{})
	other := s.plan(DeadFilter{Tenant: "shop-1"})
	for name, c := range map[string]struct {
		hash string
		by   Signed
	}{
		"the hash of another plan": {other.Hash, ann}, "no hash": {"", ann}, "no reason": {p.Hash, Signed{Operator: "ann"}}, "no name": {p.Hash, Signed{Reason: ann.Reason}},
	} {
		if _, err := s.store.ApplyRedrive(t.Context(), p.ID, c.hash, c.by, nil); err == nil {
			t.Errorf("%s: it is applied", name)
		}
	}
	if _, err := s.store.ApplyRedrive(t.Context(), "11111111-1111-7111-8111-111111111111", p.Hash, ann, nil); !errors.Is(err, ErrNoRedrive) {
		t.Error(err)
	}
	s.want("dead", s.count("state = 'dead' and generation = 1"), 3)
}

func TestJobsThatDieAfterThePlanAreNotSent(t *testing.T) {
	s := newStage(t)
	s.unjudged()
	s.dead(10, "a")
	p := s.plan(DeadFilter{})
	s.dead(5, "b")
	r := s.apply(p, ann)
	s.want("sent", r.Sent, 10)
	s.want("state", r.State, "done")
	s.want("still dead", s.count("state = 'dead' and fingerprint = 'b' and generation = 1"), 5)
	s.want("with fresh budgets", s.count("state = 'scheduled' and generation = 2 and failures = 0 and attempt = 2 and first_attempt_at is null and idempotency_key is not null"), 10)
	if _, err := s.store.ApplyRedrive(t.Context(), p.ID, p.Hash, ben, nil); err == nil || !strings.Contains(err.Error(), "is done") {
		t.Error(err)
	}
}

// The canary goes first, and has to have run; what follows is spread over the time until the next batch.
func TestCanaryIsJudgedBeforeAnyOtherGoes(t *testing.T) {
	s := newStage(t)
	s.dead(30, "a")
	p := s.plan(DeadFilter{})
	ctx, cancel := context.WithCancel(t.Context())
	s.rules.every = 50 * time.Millisecond
	looks := 0
	r, err := s.store.apply(ctx, &s.rules, p.ID, p.Hash, ann, func(r Redrive) {
		if looks++; looks == 8 { // nobody works: no canary ends
			cancel()
		}
	})
	if !errors.Is(err, context.Canceled) || r.Sent != s.rules.canary {
		t.Fatalf("%+v %v", r, err)
	}
	s.want("sent", s.count("state = 'scheduled'"), s.rules.canary)
	s.work(succeeding)
	done := s.apply(p, ben) // at once: who was cut off has let it go
	s.want("state", done.State+done.StoppedWhy, "done")
	s.want("results", s.results(p.ID), "[sent 30]")
	s.await("the end of all", func() bool { return s.count("state = 'done'") == 30 })
	s.want("each ran once", s.strings("select count(*) || ' ' || count(distinct job_id) from "+ledgerTable+" where generation = 2"), "[30 30]")
	s.want("decisions", len(done.Decisions), 2)
}

func TestCanaryThatFailsAsBeforeStopsTheRest(t *testing.T) {
	s := newStage(t)
	s.work(func(_ context.Context, job *Job[Charges]) error {
		if job.Payload.Shop == "good" {
			return nil
		}
		return errors.New("the bank says no")
	})
	for i := range 20 {
		if _, err := EnqueueCharges(t.Context(), s.store, Charges{Event: fmt.Sprint(i), Shop: "x"}); err != nil {
			t.Fatal(err)
		}
	}
	s.await("20 dead", func() bool { return s.count("state = 'dead'") == 20 })
	s.rules.canary = 5
	s.exec(`update ` + jobTable + ` set payload = convert_to(replace(convert_from(payload, 'UTF8'), '"shop":"x"', '"shop":"good"'), 'UTF8')
		where job_id in (select job_id from ` + jobTable + ` order by dead_at, job_id limit 2)`)
	p := s.plan(DeadFilter{})
	r := s.apply(p, ann)
	s.want("state", r.State, "stopped")
	if !strings.Contains(r.StoppedWhy, "3 of the 5") {
		t.Error(r.StoppedWhy)
	}
	s.want("results", s.results(p.ID), "[open 15 sent 5]")
	s.want("first attempts", s.strings("select first_attempt || ' ' || count(*) from "+redriveItems+" where result = 'sent' group by first_attempt order by 1"), "[ok 2 same_error 3]")
	s.want("untouched", s.count("state = 'dead' and generation = 1"), 15)
}

func TestRedriveStopsAtAShareOfErrorsAndAtAnOldQueue(t *testing.T) {
	s := newStage(t)
	s.rules.canary, s.rules.sameError, s.rules.every = 1, false, 50*time.Millisecond
	s.dead(2000, "a")
	var n atomic.Int64
	s.work(func(context.Context, *Job[Charges]) error {
		if n.Add(1) > 1 { // the canary is well
			return errors.New("another error than before")
		}
		return nil
	})
	r := s.apply(s.plan(DeadFilter{}), ann)
	if r.State != "stopped" || !strings.Contains(r.StoppedWhy, "have failed, and 50% are enough") || r.Sent == 2000 {
		t.Errorf("%+v", r)
	}

	s = newStage(t)
	s.unjudged()
	s.rules.batch = 2
	s.dead(2000, "a")
	s.rules.queueAge = 20 * time.Millisecond // nobody works
	r = s.apply(s.plan(DeadFilter{}), ann)
	if r.State != "stopped" || !strings.Contains(r.StoppedWhy, "the oldest due job of the queue charges") || r.Sent == 2000 {
		t.Errorf("%+v", r)
	}
}

func TestRedriveIsStoppedByHandAndGoesOnWhenAppliedAgain(t *testing.T) {
	s := newStage(t)
	s.dead(100, "a")
	s.rules.every = 20 * time.Millisecond
	s.work(succeeding)
	p := s.plan(DeadFilter{})
	var once sync.Once
	r, err := s.store.apply(t.Context(), &s.rules, p.ID, p.Hash, ann, func(r Redrive) {
		if r.Sent > 4 {
			once.Do(func() {
				if err := s.store.StopRedrive(t.Context(), p.ID, ben); err != nil {
					t.Error(err)
				}
			})
		}
	})
	if err != nil || r.State != "stopped" || r.StoppedWhy != "by ben: "+ben.Reason || r.Sent >= 100 {
		t.Fatalf("%+v %v", r, err)
	}
	if err := s.store.StopRedrive(t.Context(), p.ID, ben); err == nil {
		t.Error("what does not run is stopped")
	}
	r = s.apply(p, ann)
	s.want("state", r.State+r.StoppedWhy, "done")
	s.want("sent", r.Sent, 100)
	var what []string
	for _, d := range r.Decisions {
		what = append(what, d.What+" by "+d.Operator)
	}
	s.want("decisions", what, "[apply by ann stop by ben resume by ann]")
}

func TestTwoOperatorsSendEachJobOnceAndAreToldOfTheOther(t *testing.T) {
	s := newStage(t)
	s.unjudged()
	s.rules.batch = 3
	s.dead(200, "a")
	var plans [2]RedrivePlan
	for i := range plans {
		plans[i] = s.plan(DeadFilter{})
	}
	var both sync.WaitGroup
	for i, by := range []Signed{ann, ben} {
		both.Go(func() {
			if r, err := s.store.apply(t.Context(), &s.rules, plans[i].ID, plans[i].Hash, by, nil); err != nil || r.State != "done" {
				t.Errorf("%+v %v", r, err)
			}
		})
	}
	both.Wait()
	s.want("generations", s.strings("select generation || ' ' || count(*) from "+jobTable+" group by generation"), "[2 200]")
	s.want("sent", s.strings("select count(*) || ' of ' || count(distinct job_id) from "+redriveItems+" where result = 'sent'"), "[200 of 200]")
	for i, other := range []Signed{ben, ann} {
		told := s.strings("select distinct split_part(detail, ' at ', 1) from "+redriveItems+" where redrive_id = $1 and result = 'changed'", plans[i].ID)
		if len(told) > 0 {
			s.want("what is told", told, fmt.Sprintf("[%s has sent it in %s]", other.Operator, plans[1-i].ID))
		}
	}
	s.want("told", s.strings("select count(*)::text from "+redriveItems+" where result = 'changed'"), "[200]")
}

func TestOnePlanIsAppliedByOneProcessAtATime(t *testing.T) {
	s := newStage(t)
	s.dead(10, "a") // nobody works: the canary is waited for
	p := s.plan(DeadFilter{})
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() {
		defer close(done)
		_, _ = s.store.apply(ctx, &s.rules, p.ID, p.Hash, ann, nil)
	}()
	s.await("the canary", func() bool { return s.count("state = 'scheduled'") == s.rules.canary })
	if _, err := s.store.ApplyRedrive(t.Context(), p.ID, p.Hash, ben, nil); err == nil || !strings.Contains(err.Error(), "ann is applying the plan") {
		t.Error(err)
	}
	if _, err := s.store.UndoRedrive(t.Context(), p.ID, ben); err == nil || !strings.Contains(err.Error(), "stop it first") {
		t.Error(err)
	}
	cancel()
	<-done
}

// A process that was silent for longer than its lease, and has lost the plan to another, sends nothing any more.
func TestProcessThatHasLostItsPlanStops(t *testing.T) {
	s := newStage(t)
	s.dead(50, "a") // nobody works: the canary is waited for
	p := s.plan(DeadFilter{})
	first := make(chan error, 1)
	go func() {
		_, err := s.store.apply(t.Context(), &s.rules, p.ID, p.Hash, ann, nil)
		first <- err
	}()
	s.await("the canary", func() bool { return s.count("state = 'scheduled'") == s.rules.canary })
	s.exec("begin; update shop_job_redrive set lease_until = now() - interval '1 ms', lease_token = 'of a process that is gone'; commit")
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	second := make(chan error, 1)
	go func() {
		_, err := s.store.apply(ctx, &s.rules, p.ID, p.Hash, ben, nil)
		second <- err
	}()
	s.await("another operator", func() bool {
		return len(s.strings("select operator from shop_job_redrive where operator = 'ben'")) == 1
	})
	if err := <-first; err == nil || !strings.Contains(err.Error(), "has taken the plan") {
		t.Error(err)
	}
	s.want("sent", s.count("state = 'scheduled'"), s.rules.canary)
	cancel()
	if err := <-second; !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

func TestPlanWhoseJobsHaveChangedSendsTheOthers(t *testing.T) {
	s := newStage(t)
	s.unjudged()
	s.dead(6, "a")
	ids := s.strings("select job_id::text from " + jobTable + " order by dead_at")
	p := s.plan(DeadFilter{})
	s.exec("delete from "+jobTable+" where job_id = $1", ids[0])
	s.exec("update "+jobTable+" set generation = 2 where job_id = $1", ids[1])
	s.exec("update "+jobTable+" set state = 'done', dead_at = null, dead_reason = null where job_id = $1", ids[2])
	s.exec("update "+jobTable+" set dead_reason = 'crashes' where job_id = $1", ids[3])
	r := s.apply(p, ann)
	s.want("sent", r.Sent, 3)
	s.want("told", s.strings("select coalesce(detail, result) from "+redriveItems+" order by seq"),
		"[it has ended since it is dead in its generation 2 it is done in its generation 1 sent sent sent]")
	s.want("alone", s.strings("select job_id::text from "+jobTable+" where run_alone"), fmt.Sprint(ids[3:4]))
}

func TestJobThatAlwaysFailsEndsAtTheMostGenerations(t *testing.T) {
	s := newStage(t)
	s.rules.canary, s.rules.sameError, s.rules.errorShare = 0, false, 2
	s.work(failing)
	r, err := EnqueueCharges(t.Context(), s.store, Charges{Event: "e1", Shop: "x"})
	if err != nil {
		t.Fatal(err)
	}
	sent := 0
	for range 10 {
		s.await("dead", func() bool { return s.count("state = 'dead'") == 1 })
		sent += s.apply(s.plan(DeadFilter{}), ann).Sent
	}
	s.want("sent", sent, redrive.maxGenerations-1)
	h, err := s.store.History(t.Context(), r.JobID)
	if err != nil {
		t.Fatal(err)
	}
	last := h.Redrives[len(h.Redrives)-1]
	s.want("state", h.State, "dead")
	s.want("generation", h.Generation, redrive.maxGenerations)
	s.want("records", len(h.Redrives), 10)
	s.want("result", last.Result+": "+last.Detail, "generations: it has run through its budgets 3 times, the most that there is")
	s.want("attempts", len(h.Ledger), 2*redrive.maxGenerations)
}

func TestRedrivenThreeTimesIsGenerationFourWithThreeRecords(t *testing.T) {
	s := newStage(t)
	s.rules.canary, s.rules.sameError, s.rules.errorShare, s.rules.maxGenerations = 0, false, 2, 5
	s.work(failing)
	r, err := EnqueueCharges(t.Context(), s.store, Charges{Event: "e1", Shop: "x"})
	if err != nil {
		t.Fatal(err)
	}
	for range 3 {
		s.await("dead", func() bool { return s.count("state = 'dead'") == 1 })
		s.apply(s.plan(DeadFilter{}), ann)
	}
	s.await("dead", func() bool { return s.count("state = 'dead'") == 1 })
	h, err := s.store.History(t.Context(), r.JobID)
	if err != nil || h.Generation != 4 || len(h.Redrives) != 3 || h.IdempotencyKey != `["e1"]` {
		t.Errorf("%+v %v", h, err)
	}
	s.want("numbers", s.strings("select string_agg(attempt || '/' || generation, ' ' order by attempt) from "+ledgerTable), "[1/1 2/1 3/2 4/2 5/3 6/3 7/4 8/4]")
}
