package main

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"time"

	"github.com/riverqueue/river"
	"github.com/riverqueue/river/riverdriver"
	"github.com/riverqueue/river/rivermigrate"
	"github.com/riverqueue/river/rivertype"
)

// Kind names River's job.
func (thumbnail) Kind() string { return "thumbnail" }

// riverSide is River at its fastest: a short cooldown, and a poll as short as it can use.
type riverSide[TTx any] struct {
	database
	driver         riverdriver.Driver[TTx]
	workers        int
	cooldown, poll time.Duration
	client         *river.Client[TTx] // that inserts
	fast           bool               // the driver can copy jobs in
}

var silent = slog.New(slog.DiscardHandler)

// migrate makes River's tables, and the client that inserts.
func (r *riverSide[TTx]) migrate(ctx context.Context) error {
	migrator, err := rivermigrate.New(r.driver, &rivermigrate.Config{Logger: silent})
	if err != nil {
		return err
	}
	if _, err := migrator.Migrate(ctx, rivermigrate.DirectionUp, nil); err != nil {
		return err
	}
	r.client, err = river.NewClient(r.driver, &river.Config{Logger: silent})
	return err
}

func (r *riverSide[TTx]) fill(ctx context.Context, from, to int) error {
	for batch := range batches(from, to) {
		params := make([]river.InsertManyParams, len(batch))
		for i, t := range batch {
			params[i].Args = t
		}
		var err error
		if r.fast {
			_, err = r.client.InsertManyFast(ctx, params)
		} else {
			_, err = r.client.InsertMany(ctx, params)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (r *riverSide[TTx]) add(ctx context.Context, n int) error {
	_, err := r.client.Insert(ctx, thumbnailOf(n), nil)
	return err
}

// riverWorker retries a failed job as soon as River does: a time that is already past would mean its default policy.
type riverWorker struct {
	river.WorkerDefaults[thumbnail]
	handle func(n int) error
}

func (w *riverWorker) Work(_ context.Context, job *river.Job[thumbnail]) error {
	n, err := numberOf(job.Args.EventID)
	if err != nil {
		return err
	}
	return w.handle(n)
}

func (w *riverWorker) NextRetry(*river.Job[thumbnail]) time.Time {
	return time.Now().Add(time.Millisecond)
}

func (r *riverSide[TTx]) work(ctx context.Context, handle func(n int) error, committed func(n int)) error {
	workers := river.NewWorkers()
	river.AddWorker(workers, &riverWorker{handle: handle})
	client, err := river.NewClient(r.driver, &river.Config{
		Logger: silent, Workers: workers, FetchCooldown: r.cooldown, FetchPollInterval: r.poll,
		Queues: map[string]river.QueueConfig{river.QueueDefault: {MaxWorkers: r.workers}},
	})
	if err != nil {
		return err
	}
	if committed != nil {
		events, unsubscribe := client.SubscribeConfig(&river.SubscribeConfig{ChanSize: 10000, Kinds: []river.EventKind{river.EventKindJobCompleted}})
		defer unsubscribe()
		go func() {
			for e := range events {
				if n, err := numberOfRow(e.Job); err == nil {
					committed(n)
				}
			}
		}()
	}
	running := context.WithoutCancel(ctx) // what ends it is Stop, which waits for the completions
	if err := client.Start(running); err != nil {
		return err
	}
	<-ctx.Done()
	return client.Stop(running)
}

func numberOfRow(job *rivertype.JobRow) (int, error) {
	var t thumbnail
	if err := json.Unmarshal(job.EncodedArgs, &t); err != nil {
		return 0, err
	}
	return numberOf(t.EventID)
}

func (r *riverSide[TTx]) left(ctx context.Context) (int, error) {
	return r.count(ctx, "select count(*) from river_job where state <> 'completed'")
}

func (r *riverSide[TTx]) settings(ctx context.Context) (string, error) {
	d, err := r.durability(ctx)
	return fmt.Sprintf("%s; %d workers, fetch cooldown %v, poll %v, no unique key", d, r.workers, r.cooldown, r.poll), err
}
