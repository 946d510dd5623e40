// Command bench compares a worker that retryc emitted with River's SQLite driver: the same jobs, each side on a
// database file of its own, in interleaved rounds, so that a machine that slows down does so for both.
//
//	go run . -workers 8,100 -jobs 20000 -rounds 3
//	go run . -modes latency,enqueue
//
// The package in thumbnails/ is what retryc makes of thumbnails/retry.yaml. After a change of the generator it is made
// anew, from this folder's module in the repository, by
//
//	(cd ../.. && go run ./cmd/retryc generate -f golden/bench/thumbnails/retry.yaml)
//
// and `go run ./cmd/retryc check` with the same -f says whether it is current.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"log"
	"log/slog"
	"os"
	"os/signal"
	"runtime"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// options are the flags.
type options struct {
	workers []int
	modes   []string
	sides   []string
	jobs    int
	rounds  int
	rate    int
	limit   time.Duration
	dir     string
}

func main() {
	o, err := parse(os.Args[1:])
	if err != nil {
		log.Fatal(err)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	slog.SetDefault(slog.New(slog.DiscardHandler)) // River's logger is silent too
	if err := run(ctx, os.Stdout, os.Stderr, o); err != nil {
		log.Fatal(err)
	}
}

func parse(args []string) (o options, err error) {
	set := flag.NewFlagSet("bench", flag.ExitOnError)
	workers := set.String("workers", "8,100", "numbers of workers: 8, 100 and 500 are there")
	modes := set.String("modes", "success,fail", "success, fail (two stored failures, then success), latency, enqueue")
	sides := set.String("sides", "river,plain,keyed", "river; plain and keyed are retryc's, without an idempotency key and with one")
	set.IntVar(&o.jobs, "jobs", 20000, "jobs of one measurement; those with failures, single enqueues and latency take a quarter")
	set.IntVar(&o.rounds, "rounds", 3, "rounds, interleaved")
	set.IntVar(&o.rate, "rate", 200, "enqueues a second of the mode latency")
	set.DurationVar(&o.limit, "limit", 5*time.Minute, "longest time of one measurement")
	set.StringVar(&o.dir, "dir", os.TempDir(), "folder of the database files; its disk is what a commit waits for")
	_ = set.Parse(args) // ExitOnError
	o.modes, o.sides = strings.Split(*modes, ","), strings.Split(*sides, ",")
	for _, w := range strings.Split(*workers, ",") {
		n, err := strconv.Atoi(w)
		if err != nil || !slices.Contains(workerCounts, n) {
			return o, fmt.Errorf("-workers %s: retry.yaml has queues of %v workers", w, workerCounts)
		}
		o.workers = append(o.workers, n)
	}
	for _, m := range o.modes {
		if measures[m] == nil {
			return o, fmt.Errorf("-modes %s: there is no such mode", m)
		}
	}
	for _, s := range o.sides {
		if sideNames[s] == nil {
			return o, fmt.Errorf("-sides %s: there is no such side", s)
		}
	}
	if o.jobs < 4 || o.rounds < 1 || o.rate < 1 {
		return o, fmt.Errorf("-jobs is 4 or more, -rounds and -rate 1 or more")
	}
	return o, nil
}

// run measures every mode, number of workers and side in each round, and prints the table.
func run(ctx context.Context, out, progress io.Writer, o options) error {
	var all []sample
	for round := 1; round <= o.rounds; round++ {
		for _, mode := range o.modes {
			for _, workers := range o.workers {
				for _, side := range o.sides {
					s, err := measure(ctx, o, mode, side, workers)
					if err != nil {
						return fmt.Errorf("%s, %s with %d workers: %w", mode, side, workers, err)
					}
					fmt.Fprintf(progress, "round %d: %s\n", round, s)
					all = append(all, s)
				}
			}
		}
	}
	fmt.Fprintf(out, "%s, %s/%s, %d CPUs, GOMAXPROCS %d\n%s\n", runtime.Version(), runtime.GOOS, runtime.GOARCH, runtime.NumCPU(), runtime.GOMAXPROCS(0), versions())
	for _, side := range o.sides {
		i := slices.IndexFunc(all, func(s sample) bool { return s.side == side })
		fmt.Fprintf(out, "%s: %s\n", side, all[i].settings)
	}
	_, err := io.WriteString(out, "\n"+table(all, o.sides[0]))
	return err
}

// versions are those of the modules that were linked.
func versions() string {
	var v []string
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, m := range info.Deps {
			if strings.HasSuffix(m.Path, "/river") || strings.HasSuffix(m.Path, "/riversqlite") || m.Path == "modernc.org/sqlite" {
				v = append(v, m.Path+" "+m.Version)
			}
		}
	}
	return strings.Join(v, ", ")
}
