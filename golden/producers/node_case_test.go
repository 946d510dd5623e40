package producers_test

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"slices"
	"testing"
	"time"

	"github.com/retryc/retryc/golden/producers/jobs"
)

// Another program makes the jobs, in another language; the worker runs them.
func TestWorkerRunsTheJobsThatNodeMade(t *testing.T) {
	node, err := exec.LookPath("node")
	if err != nil {
		missing(t, "Node.js", "install it")
	}
	if _, err := os.Stat("../node/node_modules/pg"); err != nil {
		missing(t, "the PostgreSQL client of Node.js", "run npm ci in golden/node")
	}
	trial := newTrial(t)
	script := exec.Command(node, "enqueue.mjs", schemaOf(t, trial))
	script.Dir = "../node"
	var stderr bytes.Buffer
	script.Stderr = &stderr
	out, err := script.Output()
	if err != nil {
		t.Fatalf("%v\n%s", err, stderr.Bytes())
	}
	var made []struct {
		Queue string `json:"queue"`
		JobID string `json:"job_id"`
	}
	if err := json.Unmarshal(out, &made); err != nil || len(made) != 4 {
		t.Fatalf("%v in %s", err, out)
	}
	var ran []string
	trial.Advance(time.Hour) // the functions go by the server's clock
	trial.RunDue(t.Context(),
		jobs.EveryKeyWorker(func(_ context.Context, job *jobs.Job[jobs.EveryKey]) error {
			if p := job.Payload; p.Text != "quote \" backslash \\ tab \t control \x01 é 漢字 🙂 \u2028" || p.TotalCents != 1<<53-1 || p.DueAt.Nanosecond() != 600 {
				t.Errorf("%+v", p)
			}
			ran = append(ran, job.ID)
			return nil
		}),
		jobs.PayoutCreatedWorker(func(_ context.Context, job *jobs.Job[jobs.PayoutCreated]) error {
			if p := job.Payload; *p.Amount != 0.1 || p.Lines[0].Cents != 5 {
				t.Errorf("%+v", p)
			}
			ran = append(ran, job.ID)
			return nil
		}),
		jobs.PingWorker(func(_ context.Context, job *jobs.Job[jobs.Ping]) error {
			ran = append(ran, job.ID)
			return nil
		}))
	for _, m := range made {
		if ledger := trial.Ledger(m.JobID); len(ledger) != 1 || ledger[0].Outcome != "ok" || !slices.Contains(ran, m.JobID) {
			t.Errorf("%s %s: ledger %+v", m.Queue, m.JobID, ledger)
		}
	}
	if len(ran) != len(made) {
		t.Errorf("%d runs of %d jobs", len(ran), len(made))
	}
}
