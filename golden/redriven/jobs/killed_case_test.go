//go:build unix

package jobs

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"
)

// The test binary is the operator's process too: the variable role says so.
const role = "RETRYC_REDRIVEN_ROLE"

func TestMain(m *testing.M) {
	if os.Getenv(role) == "" {
		os.Exit(m.Run())
	}
	if err := operate(context.Background()); err != nil {
		fmt.Println("failed:", err)
		os.Exit(1)
	}
}

// operate applies a plan, and tells of each step.
func operate(ctx context.Context) error {
	store, err := Open(ctx, os.Getenv("DATABASE"))
	if err != nil {
		return err
	}
	rules := redrive
	rules.canary, rules.batch, rules.every = 0, 10, time.Millisecond
	r, err := store.apply(ctx, &rules, os.Getenv("PLAN"), os.Getenv("HASH"), Signed{os.Getenv("OPERATOR"), ann.Reason}, func(r Redrive) { fmt.Println("sent", r.Sent) })
	fmt.Println("ended", r.State)
	return err
}

// operator starts such a process, and answers its lines.
func (s *stage) operator(p RedrivePlan, name string) (cmd *exec.Cmd, lines <-chan string) {
	s.Helper()
	cmd = exec.CommandContext(s.Context(), os.Args[0])
	cmd.Env = append(os.Environ(), role+"=operator", "DATABASE="+s.url, "PLAN="+p.ID, "HASH="+p.Hash, "OPERATOR="+name)
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		s.Fatal(err)
	}
	told := make(chan string, 10_000)
	go func() {
		defer close(told)
		for scanner := bufio.NewScanner(out); scanner.Scan(); {
			told <- scanner.Text()
		}
	}()
	s.Cleanup(func() { _ = cmd.Process.Kill() })
	return cmd, told
}

// An operator's process is killed while its third batch waits for a row: the batch leaves nothing behind, and another process goes on
// where it was.
func TestApplierThatIsKilledInABatchIsResumed(t *testing.T) {
	s := newStage(t)
	s.dead(100, "a")
	p := s.plan(DeadFilter{})
	tx, err := s.pool.Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = tx.Rollback(context.Background()) }()
	if _, err := tx.Exec(t.Context(), "select from "+jobTable+" where job_id = (select job_id from "+redriveItems+" where seq = 25) for update"); err != nil {
		t.Fatal(err)
	}
	cmd, lines := s.operator(p, "ann")
	s.await("a batch that waits", func() bool {
		return len(s.strings("select pid::text from pg_stat_activity where wait_event_type = 'Lock' and query like '%'||$1||'%for update%'", jobTable)) > 0 && s.count("generation = 2") == 20
	})
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait()
	for range lines {
	}
	if err := tx.Rollback(t.Context()); err != nil {
		t.Fatal(err)
	}
	s.want("results", s.results(p.ID), "[open 80 sent 20]")
	s.unjudged()
	if _, err := s.store.apply(t.Context(), &s.rules, p.ID, p.Hash, ben, nil); err == nil || !strings.Contains(err.Error(), "ann is applying the plan") {
		t.Error("its lease does not count:", err)
	}
	s.exec("update shop_job_redrive set lease_until = now() - interval '1 ms'")
	r := s.apply(p, ben)
	s.want("state", r.State, "done")
	s.want("sent", r.Sent, 100)
	s.want("generations", s.strings("select generation || ' ' || count(*) from "+jobTable+" group by generation"), "[2 100]")
	s.want("results", s.results(p.ID), "[sent 100]")
}

func TestTwoOperatorsProcessesShareTheirPlans(t *testing.T) {
	s := newStage(t)
	s.dead(300, "a")
	plans := []RedrivePlan{s.plan(DeadFilter{}), s.plan(DeadFilter{})}
	var last [2]string
	var told [2]<-chan string
	for i, name := range []string{"ann", "ben"} {
		_, told[i] = s.operator(plans[i], name)
	}
	for i := range told {
		for line := range told[i] {
			last[i] = line
		}
	}
	s.want("ends", last, "[ended done ended done]")
	s.want("generations", s.strings("select generation || ' ' || count(*) from "+jobTable+" group by generation"), "[2 300]")
	s.want("sent", s.strings("select count(*) || ' of ' || count(distinct job_id) from "+redriveItems+" where result = 'sent'"), "[300 of 300]")
	s.want("told by whom", s.strings("select count(*)::text from "+redriveItems+" where result = 'changed' and (detail like 'ann has sent%' or detail like 'ben has sent%')"), "[300]")
}
