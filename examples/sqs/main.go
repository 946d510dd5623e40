// Command sqs mails monthly statements. The mail server refuses connections for a while, and one customer's mailbox is no
// more. Amazon SQS wakes the worker; the jobs and every attempt are rows in PostgreSQL.
//
//	DATABASE_URL=postgres://postgres@127.0.0.1/postgres AWS_REGION=eu-central-1 go run ./sqs
//
// Region and credentials come from where the AWS SDK finds them. For an emulator on this machine there are
// AWS_ENDPOINT_URL_SQS=http://127.0.0.1:4568 AWS_ACCESS_KEY_ID=test AWS_SECRET_ACCESS_KEY=test. STATEMENT_QUEUE_URL names a
// standard queue; without it the program makes one, which goes at the end, as does the schema of its tables.
package main

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"io"
	"log"
	"log/slog"
	"os"
	"os/signal"
	"syscall"

	"github.com/aws/aws-sdk-go-v2/config"
	"github.com/aws/aws-sdk-go-v2/service/sqs"

	"github.com/retryc/retryc/examples/internal/scratch"
	"github.com/retryc/retryc/examples/sqs/internal/jobs"
)

//go:generate go tool retryc generate

//go:embed db/migrations/0001_retryc.sql
var migration string

func main() {
	slog.SetLogLoggerLevel(slog.LevelWarn) // the ledger tells of every attempt
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	ledger, err := run(ctx, os.Stdout)
	if err == nil {
		err = scratch.Print(os.Stdout, ledger)
	}
	if err != nil {
		log.Fatal(err)
	}
}

// run works until every statement is sent or dead, and answers the ledger.
func run(ctx context.Context, out io.Writer) (ledger []scratch.Attempt, err error) {
	url, drop, err := scratch.Schema(ctx, os.Getenv("DATABASE_URL"), migration)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, drop()) }()
	store, err := jobs.Open(ctx, url)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, store.Close()) }()
	settings, err := config.LoadDefaultConfig(ctx)
	if err != nil {
		return nil, err
	}
	client := sqs.NewFromConfig(settings)
	remove, err := provideQueue(ctx, client)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, remove()) }()
	if err := jobs.ConnectStatementMail(ctx, store, client); err != nil {
		return nil, err
	}

	working, stop := context.WithCancel(ctx)
	ended := make(chan error, 1)
	go func() {
		defer stop() // where it ends by itself, there is nothing to wait for
		ended <- jobs.Run(working, store, jobs.StatementMailWorker((&mailer{refusals: 2, sent: map[string]bool{}}).send))
	}()
	err = enqueue(ctx, out, store)
	if err == nil {
		err = scratch.UntilEnded(working, store.DB())
	}
	stop()
	if err := errors.Join(err, <-ended); err != nil {
		return nil, err
	}
	return scratch.Ledger(ctx, store.DB())
}

// enqueue adds the month's statements in one transaction: all of them, or none.
func enqueue(ctx context.Context, out io.Writer, store *jobs.Store) error {
	var statements []jobs.StatementMail
	for i, name := range []string{"ann", "slow", "moved", "bob"} {
		statements = append(statements, jobs.StatementMail{AccountID: fmt.Sprintf("acc_%d", i+1), Month: "2026-11", Address: name + "@example.com"})
	}
	receipts, err := jobs.EnqueueStatementMailMany(ctx, store, statements)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(out, "%d statements enqueued\n\n", len(receipts))
	return err
}

// provideQueue makes a queue for this run, where the environment names none. A product's is made by whoever runs the
// account, as its access rights are.
func provideQueue(ctx context.Context, client *sqs.Client) (remove func() error, err error) {
	const variable = "STATEMENT_QUEUE_URL"
	if os.Getenv(variable) != "" {
		return func() error { return nil }, nil
	}
	name := scratch.Name()
	made, err := client.CreateQueue(ctx, &sqs.CreateQueueInput{QueueName: &name})
	if err != nil {
		return nil, fmt.Errorf("make a queue, since %s names none: %w", variable, err)
	}
	remove = func() error {
		_, err := client.DeleteQueue(context.WithoutCancel(ctx), &sqs.DeleteQueueInput{QueueUrl: made.QueueUrl})
		return errors.Join(err, os.Unsetenv(variable))
	}
	return remove, os.Setenv(variable, *made.QueueUrl)
}
