//go:build unix

// Command soak enqueues jobs, lets processes work on them, and makes trouble all the while: it kills processes, lets them
// stand still, ends their connections and cuts the power of their server. Then all are left in peace until every job is
// done or dead, and what there is is compared one by one. Run it in golden/:
//
//	go run ./soak -dialect postgres -minutes 10 -jobs 300000 -workers 4
//	go run ./soak -dialect sqlite -minutes 2
//
// It makes a PostgreSQL server of its own, unless -database names one, which is then not restarted. It needs a schema of
// its own there.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"log"
	"log/slog"
	"math/rand/v2"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"
	"time"

	"github.com/retryc/retryc/golden/audit"
)

type options struct {
	dialect, database string
	minutes           float64
	jobs, workers     int
	seed              uint64
}

func main() {
	log.SetFlags(log.Ltime)
	var o options
	flag.StringVar(&o.dialect, "dialect", "postgres", "postgres or sqlite")
	flag.StringVar(&o.database, "database", "", "URL of an empty PostgreSQL schema; empty: a server of its own")
	flag.Float64Var(&o.minutes, "minutes", 10, "how long jobs are enqueued at most")
	flag.IntVar(&o.jobs, "jobs", 300_000, "how many are enqueued at most")
	flag.IntVar(&o.workers, "workers", 4, "processes that work")
	flag.Uint64Var(&o.seed, "seed", rand.Uint64(), "of the order of troubles")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if runs := os.Getenv(asWorker); runs != "" {
		slog.SetDefault(slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelError + 1})))
		if err := work(ctx, o, runs); err != nil {
			log.Fatal(err)
		}
		return
	}
	if err := soak(ctx, o); err != nil {
		log.Fatal(err)
	}
}

func soak(ctx context.Context, o options) (err error) {
	dir, err := os.MkdirTemp("", "retryc-soak-")
	if err != nil {
		return err
	}
	stage, err := newStage(o, dir)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, stage.close()) }()
	s, err := open(ctx, o.dialect, stage.database)
	if err != nil {
		return err
	}
	defer s.close()
	log.Printf("seed %d, evidence in %s", o.seed, dir)

	begun := time.Now()
	limited, end := context.WithTimeout(ctx, time.Duration(o.minutes*float64(time.Minute)))
	defer end()
	troubled, calm := context.WithCancel(limited)
	gang := &gang{options: o, stage: stage, store: s, dir: dir, random: rand.New(rand.NewPCG(o.seed, 1))}
	upset := make(chan error, 1)
	go func() { upset <- gang.trouble(troubled) }()
	p := producer{store: s, enqueued: map[string]bool{}}
	p.run(limited, o.jobs)
	calm()
	if err := <-upset; err != nil {
		return err
	}
	produced := time.Since(begun)
	log.Printf("%d jobs are enqueued after %.0f s, %d enqueues were of a key that was there; troubles: %v", len(p.enqueued), produced.Seconds(), p.duplicates, gang.count)

	if err := drained(ctx, s); err != nil {
		return err
	}
	took := time.Since(begun)
	if err := gang.stop(); err != nil {
		return err
	}
	runs, err := filepath.Glob(filepath.Join(dir, "runs-*"))
	if err != nil {
		return err
	}
	found, err := audit.Compare(audit.Evidence{Query: s.query, Runs: runs, Enqueued: p.enqueued, Untold: p.untold})
	if err != nil {
		return err
	}
	log.Printf("%v", found)
	log.Printf("%.0f s, %.0f jobs/s, %.0f attempts/s; enqueues without an answer: %d jobs", took.Seconds(), float64(len(p.enqueued))/took.Seconds(), float64(found.Attempts)/took.Seconds(), p.untold)
	for _, fault := range found.Faults[:min(20, len(found.Faults))] {
		log.Print("FAULT ", fault)
	}
	if len(found.Faults) > 0 {
		return fmt.Errorf("%d faults; the evidence is in %s", len(found.Faults), dir)
	}
	return os.RemoveAll(dir)
}

// drained waits until every job is done or dead, for as long as jobs go on ending.
func drained(ctx context.Context, s *store) error {
	before := ""
	patience := time.NewTimer(time.Minute)
	for {
		left, err := s.query("select count(*) from job where state in ('scheduled', 'running')")
		if err == nil && left[0] == "0" {
			return nil
		}
		if err == nil && before != left[0] {
			before = left[0]
			patience.Reset(time.Minute)
		}
		select {
		case <-time.After(100 * time.Millisecond):
		case <-patience.C:
			return fmt.Errorf("no job has ended for a minute: %v left (%v)", left, err)
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}
