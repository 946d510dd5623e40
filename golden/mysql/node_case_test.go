package mysql_test

import (
	"bytes"
	"context"
	"encoding/json"
	"net"
	"os"
	osexec "os/exec"
	"slices"
	"testing"
	"time"

	"github.com/go-sql-driver/mysql"

	"github.com/retryc/retryc/golden/mysql/jobs"
	"github.com/retryc/retryc/golden/typescript"
)

// Another program makes the jobs, in another language and as a producer; the worker runs them.
func TestWorkerRunsTheJobsThatNodeMade(t *testing.T) {
	node, err := osexec.LookPath("node")
	if err != nil {
		missing(t, "Node.js", "install it")
	}
	if _, err := os.Stat("../node/node_modules/mysql2"); err != nil {
		missing(t, "the MySQL client of Node.js", "run npm ci in golden/node")
	}
	trial := newTrial(t)
	producer := newAccount(t, trial)
	if err := grant(t, trial, "producer="+producer); err != nil {
		t.Fatal(err)
	}
	config := server(t, trial)
	script := osexec.Command(node, "enqueue_mysql.mjs", connection(t, config, user(producer)))
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
	trial.Advance(time.Hour) // the procedures go by the server's clock
	trial.RunDue(t.Context(),
		jobs.EveryKeyWorker(func(_ context.Context, job *jobs.Job[jobs.EveryKey]) error {
			if p := job.Payload; p.Text != "quote \" backslash \\ tab \t control \x01 é 漢字 🙂 \u2028" || p.TotalCents != 1<<53-1 || p.DueAt.Nanosecond() != 600 {
				t.Errorf("%+v", p)
			}
			ran = append(ran, job.ID)
			return nil
		}),
		jobs.PayoutWorker(func(_ context.Context, job *jobs.Job[jobs.Payout]) error {
			if p := job.Payload; *p.Rate != 0.1 || p.Lines[0].Cents != 5 {
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

// connection is how the client of Node.js is told to connect.
func connection(t *testing.T, config *mysql.Config, user string) string {
	t.Helper()
	host, port, err := net.SplitHostPort(config.Addr)
	if err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(map[string]string{"host": host, "port": port, "user": user, "database": config.DBName})
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// Whole numbers arrive as they were sent, those that no number of JavaScript holds among them.
func TestWorkerRunsTheJobThatTypeScriptMade(t *testing.T) {
	typescript.Tool(t, "../node", "tsc")
	trial := newTrial(t)
	config := server(t, trial)
	jobID := string(bytes.TrimSpace(typescript.Run(t, "../node", "payout", connection(t, config, config.User))))
	var ran []jobs.Payout
	trial.Advance(time.Hour) // the procedures go by the server's clock
	trial.RunDue(t.Context(), jobs.PayoutWorker(func(_ context.Context, job *jobs.Job[jobs.Payout]) error {
		if job.ID == jobID {
			ran = append(ran, job.Payload)
		}
		return nil
	}))
	if len(ran) != 1 || ran[0].Amount != 9007199254740993 || *ran[0].Rate != 0.1 || ran[0].Account != "é \" \\ \x01 漢字 🙂" ||
		ran[0].Lines[0].Cents != -5 || ran[0].Lines[1].Cents != -1<<63 {
		t.Errorf("%+v", ran)
	}
}
