// Command bench compares a worker that retryc emitted with River, on SQLite or on PostgreSQL: the same jobs, each side in a
// database of its own, in interleaved rounds, so that a machine that slows down does so for all.
//
//	go run . -workers 8,100 -jobs 20000 -rounds 3
//	go run . -dialect postgres -url postgres://postgres@127.0.0.1/postgres -workers 32,500 -modes success,fail,latency,enqueue
//	go run . -dialect postgres -sides plain,keyed -states empty,ledger,dead,snapshot -workers 500 -modes success,latency
//
// A PostgreSQL server should have nothing else to do: its CPU time and its log are counted as a whole. The packages in
// thumbnails/, documents/ and brokers/ are what retryc makes of the retry.yaml there. After a change of the generator they are
// made anew, from this folder's module in the repository, by
//
//	(cd ../.. && for d in thumbnails documents brokers; do go run ./cmd/retryc generate -f golden/bench/$d/retry.yaml; done)
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
	dialect dialect
	url     string
	workers []int
	modes   []string
	sides   []string
	states  []string
	jobs    int
	rounds  int
	rate    int
	ledger  int
	dead    int
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
	name := set.String("dialect", "sqlite", "sqlite or postgres")
	set.StringVar(&o.url, "url", os.Getenv("RETRYC_TEST_POSTGRES"), "PostgreSQL server; its role must be able to create databases, and to checkpoint")
	workers := set.String("workers", "", "numbers of workers; default 8,100 for SQLite, which has 500 too, and 32,500 for PostgreSQL")
	modes := set.String("modes", "success,fail", "success, fail (two stored failures, then success), latency, enqueue")
	sides := set.String("sides", "", "all by default: river; plain and keyed, which are retryc's without an idempotency key and with one; "+
		"for PostgreSQL also river-w2000, which is River at its best with 2,000 workers, and limit, which only does what has to be done")
	states := set.String("states", "empty", "PostgreSQL: empty, ledger and dead (grown before the measurement), snapshot (an old one is held open)")
	set.IntVar(&o.jobs, "jobs", 20000, "jobs of one measurement; those with failures, single enqueues and latency take a quarter")
	set.IntVar(&o.rounds, "rounds", 3, "rounds, interleaved")
	set.IntVar(&o.rate, "rate", 0, "enqueues a second of the mode latency; default 200 for SQLite, 500 for PostgreSQL")
	set.IntVar(&o.ledger, "ledger", 10_000_000, "rows of the state ledger")
	set.IntVar(&o.dead, "dead", 100_000, "dead letters of the state dead")
	set.DurationVar(&o.limit, "limit", 10*time.Minute, "longest time of one measurement")
	set.StringVar(&o.dir, "dir", os.TempDir(), "folder of SQLite's files; its disk is what a commit waits for")
	_ = set.Parse(args) // ExitOnError
	var found bool
	if o.dialect, found = dialects[*name]; !found {
		return o, fmt.Errorf("-dialect %s: there are sqlite and postgres", *name)
	}
	if *workers == "" {
		*workers = o.dialect.workers
	}
	if *sides == "" {
		*sides = strings.Join(o.dialect.names, ",")
	}
	if o.rate == 0 {
		o.rate = o.dialect.rate
	}
	for _, w := range strings.Split(*workers, ",") {
		n, err := strconv.Atoi(w)
		if err != nil || !slices.Contains(o.dialect.counts, n) {
			return o, fmt.Errorf("-workers %s: retry.yaml has queues of %v workers", w, o.dialect.counts)
		}
		o.workers = append(o.workers, n)
	}
	o.modes, o.sides, o.states = strings.Split(*modes, ","), strings.Split(*sides, ","), strings.Split(*states, ",")
	for _, m := range o.modes {
		if measures[m] == nil {
			return o, fmt.Errorf("-modes %s: there is no such mode", m)
		}
	}
	for _, s := range o.sides {
		if o.dialect.sides[s] == nil {
			return o, fmt.Errorf("-sides %s: there is no such side", s)
		}
		for _, state := range o.states {
			if !slices.Contains(o.dialect.states, state) {
				return o, fmt.Errorf("-states %s: there is no such state", state)
			}
			if grow[state] != "" && s != "plain" && s != "keyed" {
				return o, fmt.Errorf("-states %s: the side %s has no such table; add -sides plain,keyed", state, s)
			}
		}
	}
	if o.jobs < 4 || o.rounds < 1 || o.rate < 1 {
		return o, fmt.Errorf("-jobs is 4 or more, -rounds and -rate 1 or more")
	}
	if *name == "postgres" && o.url == "" {
		return o, fmt.Errorf("-url or RETRYC_TEST_POSTGRES names the server, such as postgres://postgres@127.0.0.1/postgres")
	}
	return o, nil
}

// run measures every mode, number of workers, state and side in each round, and prints the table.
func run(ctx context.Context, out, progress io.Writer, o options) error {
	var all []sample
	for round := 1; round <= o.rounds; round++ {
		for _, mode := range o.modes {
			for _, workers := range o.workers {
				for _, state := range o.states {
					for _, side := range o.sides {
						s, err := measure(ctx, o, mode, state, side, workers)
						if err != nil {
							return fmt.Errorf("%s, %s with %d workers: %w", mode, side, workers, err)
						}
						fmt.Fprintf(progress, "round %d: %s\n", round, s)
						all = append(all, s)
					}
				}
			}
		}
	}
	fmt.Fprintf(out, "%s, %s/%s, %d CPUs, GOMAXPROCS %d\n%s\n", runtime.Version(), runtime.GOOS, runtime.GOARCH, runtime.NumCPU(), runtime.GOMAXPROCS(0), versions(o.dialect))
	for _, side := range o.sides {
		i := slices.IndexFunc(all, func(s sample) bool { return s.side == side })
		fmt.Fprintf(out, "%s: %s\n", side, all[i].settings)
	}
	_, err := io.WriteString(out, "\n"+table(all, o.sides[0]))
	return err
}

// versions are those of the modules that were linked.
func versions(d dialect) string {
	var v []string
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, m := range info.Deps {
			if slices.Contains(d.modules, m.Path) {
				v = append(v, m.Path+" "+m.Version)
			}
		}
	}
	return strings.Join(v, ", ")
}
