package main

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/url"
	"time"

	"github.com/riverqueue/river"
	"github.com/riverqueue/river/riverdriver/riversqlite"
	"github.com/riverqueue/river/rivermigrate"
	_ "modernc.org/sqlite"
)

// Kind names River's job.
func (thumbnail) Kind() string { return "thumbnail" }

// riverSide is River on SQLite at its fastest: the shortest cooldown that it allows, a poll as short as ours, the same
// settings of the database, and the one connection that its documentation asks for.
type riverSide struct {
	db      *sql.DB
	workers int
	client  *river.Client[*sql.Tx] // that inserts
}

const riverCooldown, riverPoll = time.Millisecond, 5 * time.Millisecond

func openRiver(ctx context.Context, path string, workers int) (side, error) {
	file := url.URL{Scheme: "file", Opaque: (&url.URL{Path: path}).EscapedPath()}
	db, err := sql.Open("sqlite", file.String()+"?_txlock=immediate&_pragma=busy_timeout(10000)&_pragma=journal_mode(wal)&_pragma=synchronous(full)&_pragma=temp_store(memory)&_pragma=wal_autocheckpoint(4000)")
	if err != nil {
		return nil, err
	}
	db.SetMaxOpenConns(1)
	r := &riverSide{db: db, workers: workers}
	if err := r.migrate(ctx); err != nil {
		_ = db.Close()
		return nil, err
	}
	return r, nil
}

func (r *riverSide) migrate(ctx context.Context) error {
	silent := slog.New(slog.DiscardHandler)
	migrator, err := rivermigrate.New(riversqlite.New(r.db), &rivermigrate.Config{Logger: silent})
	if err != nil {
		return err
	}
	if _, err := migrator.Migrate(ctx, rivermigrate.DirectionUp, nil); err != nil {
		return err
	}
	r.client, err = river.NewClient(riversqlite.New(r.db), &river.Config{Logger: silent})
	return err
}

func (r *riverSide) fill(ctx context.Context, from, to int) error {
	for ; from < to; from += 1000 {
		var batch []river.InsertManyParams
		for n := from; n < min(from+1000, to); n++ {
			batch = append(batch, river.InsertManyParams{Args: thumbnailOf(n)})
		}
		if _, err := r.client.InsertMany(ctx, batch); err != nil {
			return err
		}
	}
	return nil
}

func (r *riverSide) add(ctx context.Context, n int) error {
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

func (r *riverSide) work(ctx context.Context, handle func(n int) error, committed func(n int)) error {
	workers := river.NewWorkers()
	river.AddWorker(workers, &riverWorker{handle: handle})
	client, err := river.NewClient(riversqlite.New(r.db), &river.Config{
		Logger: slog.New(slog.DiscardHandler), Workers: workers, FetchCooldown: riverCooldown, FetchPollInterval: riverPoll,
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
				var t thumbnail
				if json.Unmarshal(e.Job.EncodedArgs, &t) == nil {
					if n, err := numberOf(t.EventID); err == nil {
						committed(n)
					}
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

func (r *riverSide) left(ctx context.Context) (n int, err error) {
	err = r.db.QueryRowContext(ctx, "select count(*) from river_job where state <> 'completed'").Scan(&n)
	return n, err
}

func (r *riverSide) settings(ctx context.Context) (string, error) {
	p, err := pragmas(ctx, r.db)
	return fmt.Sprintf("%s; fetch cooldown %v, poll %v, no unique key", p, riverCooldown, riverPoll), err
}

func (r *riverSide) close() error { return r.db.Close() }
