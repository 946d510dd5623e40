// Command brokers compares a worker that retryc emitted with a bare loop on the same client, at RabbitMQ, at an emulator of
// Amazon SQS and at the server of the package infraitest: both get the same messages, in interleaved rounds.
//
//	go run ./brokers -jobs 3000 -rounds 5
//
// The bare loop receives a batch, inserts a row into the ledger for each message by one statement, and acknowledges. The worker
// does what it does by default, for what the messages announce; as the side message, for what they carry. All are done once nothing is left at the broker. In the mode
// backlog the messages, and the worker's jobs, are there before either starts; in the mode arriving both wait for them, and a
// producer in the same process is part of what is measured.
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
	"strings"
	"syscall"
	"time"
)

// options are the flags.
type options struct {
	postgres, rabbitmq, sqs string
	brokers, modes          []string
	jobs, rounds            int
	quiet, limit            time.Duration
}

// mostJobs are those that a producer keeps for a broker which takes them more slowly.
const mostJobs = 10_000

func main() {
	o, err := parse(os.Args[1:])
	if err != nil {
		log.Fatal(err)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	slog.SetLogLoggerLevel(slog.LevelWarn) // a round with a warning is none to be believed
	if err := run(ctx, os.Stdout, os.Stderr, o); err != nil {
		log.Fatal(err)
	}
}

func parse(args []string) (o options, err error) {
	set := flag.NewFlagSet("brokers", flag.ContinueOnError)
	set.StringVar(&o.postgres, "postgres", os.Getenv("RETRYC_TEST_POSTGRES"), "URL of the PostgreSQL database; its role must be able to create schemas")
	set.StringVar(&o.rabbitmq, "rabbitmq", os.Getenv("RETRYC_TEST_RABBITMQ"), "URL of RabbitMQ, whose queue retryc-bench is removed")
	set.StringVar(&o.sqs, "sqs", os.Getenv("RETRYC_TEST_SQS"), "URL of the emulator of SQS")
	names := set.String("brokers", "rabbitmq,sqs,infrai", "those that are measured")
	modes := set.String("modes", "backlog,arriving", "those that are measured")
	set.IntVar(&o.jobs, "jobs", 3000, "jobs of one measurement")
	set.IntVar(&o.rounds, "rounds", 5, "rounds, interleaved")
	set.DurationVar(&o.quiet, "quiet", 5200*time.Millisecond, "how long the first jobs of the mode arriving are waited for: a worker's poll backs off in that time, "+
		"looks again only as much later, and leaves to the messages what is due until then")
	set.DurationVar(&o.limit, "limit", 2*time.Minute, "longest time of one measurement")
	if err := set.Parse(args); err != nil {
		return o, err
	}
	o.brokers, o.modes = strings.Split(*names, ","), strings.Split(*modes, ",")
	for _, name := range o.brokers {
		if open[name] == nil {
			return o, fmt.Errorf("-brokers %s: there is no such broker", name)
		}
	}
	for _, mode := range o.modes {
		if mode != "backlog" && mode != "arriving" {
			return o, fmt.Errorf("-modes %s: there are backlog and arriving", mode)
		}
	}
	if o.jobs < 1 || o.jobs > mostJobs || o.rounds < 1 {
		return o, fmt.Errorf("-jobs is 1 to %d, -rounds 1 or more", mostJobs)
	}
	return o, nil
}

// sides are what is compared: the first is what the others are compared with.
var sides = []string{"bare", "worker", "message"}

// run measures each broker, mode and side in every round, and prints the table.
func run(ctx context.Context, out, progress io.Writer, o options) error {
	var all []sample
	for round := range o.rounds {
		for _, broker := range o.brokers {
			for _, mode := range o.modes {
				for _, side := range sides {
					s, err := measure(ctx, o, broker, mode, side)
					if err != nil {
						return fmt.Errorf("%s, %s, %s: %w", broker, mode, side, err)
					}
					_, _ = fmt.Fprintf(progress, "round %d: %s, %s, %s: %.0f jobs/s, %.0f%% begun by a message\n", round+1, broker, mode, side, s.perSec, 100*s.messages)
					all = append(all, s)
				}
			}
		}
	}
	_, err := fmt.Fprintf(out, "%s, %s/%s, %d CPUs\n\n%s", runtime.Version(), runtime.GOOS, runtime.GOARCH, runtime.NumCPU(), table(o.brokers, o.modes, all))
	return err
}
