// Code generated from golden/brokers/jobs/killed_case_test.go by go test ./generator -update. DO NOT EDIT.

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

	"github.com/jackc/pgx/v5/pgxpool"
)

// The test binary is a worker too, where AT says at which queue.
func TestMain(m *testing.M) {
	if at := os.Getenv("AT"); at != "" {
		if err := stuckWorker(strings.Split(at, " ")); err != nil {
			fmt.Println("error", err)
			os.Exit(1)
		}
	}
	os.Exit(m.Run())
}

// stuckWorker begins jobs and ends none, and says which.
func stuckWorker(at []string) error {
	ctx := context.Background()
	config, err := pgxpool.ParseConfig(os.Getenv("RETRYC_TEST_POSTGRES"))
	if err != nil {
		return err
	}
	config.ConnConfig.RuntimeParams["search_path"] = os.Getenv("SCHEMA")
	pool, err := pgxpool.NewWithConfig(ctx, config)
	if err != nil {
		return err
	}
	queue, store := stationQueue(), newStore(pool, statements, postgresClock)
	queue.policy.poll = time.Hour // it is messages that begin what comes
	b, err := place{at[0], at[1], at[2]}.connect(ctx)
	if err := store.attach(queue, b, err); err != nil {
		return err
	}
	fmt.Println("ready")
	return Run(ctx, store, newWorker(queue, func(_ context.Context, job *Job[note]) error {
		fmt.Println("begun", job.ID)
		select {}
	}))
}

func TestJobsOfAWorkerThatIsKilledRunAgainThroughEachBroker(t *testing.T) {
	for name, queue := range brokers {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			at := queue(t)
			b, err := at.connect(t.Context())
			s := newStation(t, b, err)
			child := exec.Command(os.Args[0])
			child.Env = append(os.Environ(), "AT="+at.broker+" "+at.server+" "+at.queue, "SCHEMA="+s.config.ConnConfig.RuntimeParams["search_path"])
			child.Stderr = os.Stderr
			out, err := child.StdoutPipe()
			if err == nil {
				err = child.Start()
			}
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _, _ = child.Process.Kill(), child.Wait() })
			says := bufio.NewScanner(out)
			if !says.Scan() || says.Text() != "ready" {
				t.Fatal(says.Text())
			}
			time.Sleep(500 * time.Millisecond) // its first look at the table is over
			const jobs = 5
			for range jobs {
				if _, err := enqueueOne(t.Context(), s.store, nil, s.queue, note{Text: "fine"}); err != nil {
					t.Fatal(err)
				}
			}
			begun := map[string]bool{}
			for len(begun) < jobs && says.Scan() {
				begun[says.Text()] = true
			}
			_ = child.Process.Kill()
			stop := s.work(s.store)
			defer stop()
			for end := time.Now().Add(40 * time.Second); ; time.Sleep(50 * time.Millisecond) {
				got := s.texts("select attempt || ' ' || coalesce(class, outcome) || ' ' || count(*) from " + ledgerTable + " group by attempt, class, outcome order by 1")
				if want := fmt.Sprintf("[1 crashed %d 2 ok %d]", jobs, jobs); fmt.Sprint(got) == want {
					break
				}
				if time.Now().After(end) {
					t.Fatalf("the ledger has %q", got)
				}
			}
		})
	}
}
