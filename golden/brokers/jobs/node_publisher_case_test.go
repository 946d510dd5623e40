package jobs

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/retryc/retryc/golden/brokers/jobs/infraitest"
	"github.com/retryc/retryc/golden/typescript"
)

// A program in TypeScript makes jobs of each queue, through the database and through the queue's broker, every one of them
// twice. The workers run each once.
func TestWorkersRunTheJobsThatTypeScriptMade(t *testing.T) {
	const node = "../../node"
	typescript.Tool(t, node, "tsc")
	config := scratchSchema(t)
	sqs, rabbit, infrai := brokers["sqs"](t), brokers["rabbitmq"](t), infraitest.New(infraitest.Options{Receipts: true})
	t.Cleanup(infrai.Close)
	rabbitRemove(rabbit.server, "shop.digest")
	t.Cleanup(func() { rabbitRemove(rabbit.server, "shop.digest") })
	for name, value := range map[string]string{
		"THUMBNAILS_QUEUE_URL": sqs.queue, "RABBITMQ_URL": rabbit.server, "INFRAI_URL": infrai.URL, "INFRAI_API_KEY": infraitest.APIKey, "INFRAI_PUSH_SECRET": "secret",
	} {
		t.Setenv(name, value)
	}
	store := producedStore(t, config)
	if err := ConnectWebhooks(t.Context(), store, nil); err != nil { // which makes the queue
		t.Fatal(err)
	}
	at, err := json.Marshal(map[string]string{
		"postgres": os.Getenv(trialServer), "schema": config.ConnConfig.RuntimeParams["search_path"], "sqs": sqs.server, "queueUrl": sqs.queue,
		"rabbitmq": rabbit.server, "infrai": infrai.URL, "apiKey": infraitest.APIKey,
	})
	if err != nil {
		t.Fatal(err)
	}
	var made []string
	if err := json.Unmarshal(typescript.Run(t, node, "publish", string(at)), &made); err != nil || len(made) != 3 {
		t.Fatalf("%q (%v)", made, err)
	}

	// RabbitMQ finds the queue as it was made by the other side.
	if err := ConnectDigest(t.Context(), store); err != nil {
		t.Fatal(err)
	}
	if err := ConnectThumbnails(t.Context(), store, sqsClientOf(sqs.server)); err != nil {
		t.Fatal(err)
	}
	const text = "quote \" backslash \\ tab \t \x01 é 漢字 \u2028 \ufffe\uffff"
	want := []string{
		"digest own id", "digest rabbitmq " + text + " 🙂", "digest sql " + text + " 🙂",
		"thumbnails both 3", "thumbnails sqs " + text + " 640",
		"webhooks infrai " + text + ` 🙂 {"a":[1,null]}`, "webhooks sql " + text + " [1.5]",
	}
	if got := produced(t, store, len(want)); !slices.Equal(got, want) {
		t.Errorf("these have run:\n%q\nwant\n%q", got, want)
	}
	h := &harness{T: t, process: &process{store: store}}
	ledger := h.strings("select job_id::text from " + ledgerTable)
	for _, id := range made {
		if !slices.Contains(ledger, id) {
			t.Errorf("the database has made %s, and the ledger has %q", id, ledger)
		}
	}
	if v := infrai.Violations(); len(v) != 1 || !strings.Contains(v[0], "UNAUTHORIZED") {
		t.Errorf("the contract is broken: %s", strings.Join(v, "\n"))
	}
}

// producedStore is a store whose database has the functions too.
func producedStore(t *testing.T, config *pgxpool.Config) *Store {
	t.Helper()
	pool, err := pgxpool.NewWithConfig(context.Background(), config)
	if err != nil {
		t.Fatal(err)
	}
	store := newStore(pool, statements, postgresClock)
	t.Cleanup(func() { _ = store.Close() })
	if err := store.migrate(t.Context()); err != nil {
		t.Fatal(err)
	}
	functions, err := os.ReadFile("enqueue_functions_gen.sql")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := pool.Exec(t.Context(), string(functions)); err != nil {
		t.Fatal(err)
	}
	return store
}

// produced runs the workers until so many jobs are over, and a second longer. The answer is what they were, sorted.
func produced(t *testing.T, store *Store, jobs int) []string {
	t.Helper()
	var mu sync.Mutex
	var ran []string
	note := func(format string, args ...any) error {
		mu.Lock()
		defer mu.Unlock()
		ran = append(ran, fmt.Sprintf(format, args...))
		return nil
	}
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	ended := make(chan error, 1)
	go func() {
		ended <- Run(ctx, store,
			ThumbnailsWorker(func(_ context.Context, job *Job[Thumbnails]) error {
				return note("thumbnails %s %d", job.Payload.EventID, *job.Payload.Width)
			}),
			DigestWorker(func(_ context.Context, job *Job[Digest]) error { return note("digest %s", job.Payload.CustomerID) }),
			WebhooksWorker(func(_ context.Context, job *Job[Webhooks]) error {
				return note("webhooks %s %s", job.Payload.EventID, job.Payload.Body)
			}))
	}()
	for ctx.Err() == nil {
		time.Sleep(50 * time.Millisecond)
		mu.Lock()
		enough := len(ran) >= jobs
		mu.Unlock()
		if enough {
			time.Sleep(time.Second) // one that is made twice would run by then
			break
		}
	}
	cancel()
	if err := <-ended; err != nil {
		t.Fatal(err)
	}
	slices.Sort(ran)
	return ran
}
