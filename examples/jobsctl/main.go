// Command jobsctl is an operator's view of dead jobs: it lists and groups them, shows one with its whole ledger, and sends
// them back or discards them as a decision that is on record. It is a program of the product, on the package that retryc has
// generated for it: copy it, put your package in the place of internal/jobs, and take out the demo.
//
//	jobsctl list     [FILTER] [--limit N] [--after NEXT]   dead jobs, the latest first
//	jobsctl group    [FILTER]                              the same by cause: how many, since when, the error
//	jobsctl show     JOB                                   one job: payload, ledger, plans
//	jobsctl timeline JOB                                   what happened to it, in order
//	jobsctl plan     [FILTER]                              freezes what would be sent back, with a hash and warnings
//	jobsctl discard  [FILTER]                              the same for what is to be closed for good
//	jobsctl apply    PLAN --hash HASH --by NAME --why TEXT does what was planned, with progress
//	jobsctl stop     PLAN --by NAME --why TEXT             stops that, wherever it runs
//	jobsctl undo     PLAN --by NAME --why TEXT             makes dead again what has not begun
//	jobsctl amend    JOB --payload FILE --by NAME --why TEXT   sends one job back with another payload
//	jobsctl plans    [PLAN]                                all plans; or one, with what became of its jobs
//	jobsctl demo                                           makes some dead jobs to try it on
//
// FILTER is any of --queue, --class, --reason, --fingerprint, --tenant, --dead-for 2h, --dead-within 24h and --job JOB,
// which can be repeated. --json gives JSON in place of tables. The database is that of DATABASE_URL; the role needs what
// grants_gen.sql gives to operator. The exit status is 0; 1 where something was refused or a plan was stopped; 2 for a wrong call.
//
//	DATABASE_URL=postgres://postgres@127.0.0.1/postgres go run . demo
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"github.com/retryc/retryc/examples/jobsctl/internal/jobs"
)

//go:generate go tool retryc generate

func main() {
	slog.SetDefault(slog.New(slog.DiscardHandler)) // the tables say it
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	os.Exit(run(ctx, os.Args[1:], os.Stdout, os.Stderr))
}

// errUsage is a wrong call; errUnwell is an end that has been told of already, and is no success.
var errUsage, errUnwell = errors.New("usage"), errors.New("unwell")

// run is the program, and answers its exit status.
func run(ctx context.Context, args []string, out, errOut io.Writer) int {
	err := call(ctx, args, out, errOut)
	switch {
	case err == nil:
		return 0
	case errors.Is(err, errUnwell):
		return 1
	case errors.Is(err, errUsage):
		_, _ = fmt.Fprintln(errOut, strings.TrimPrefix(err.Error(), "usage: ")+"\nrun: go doc, in the folder of jobsctl, for all commands")
		return 2
	}
	_, _ = fmt.Fprintln(errOut, "jobsctl:", err)
	return 1
}

func call(ctx context.Context, args []string, out, errOut io.Writer) error {
	if len(args) == 0 {
		return fmt.Errorf("%w: name a command: list, group, show, timeline, plan, discard, apply, stop, undo, amend, plans or demo", errUsage)
	}
	command, known := commands[args[0]]
	if !known {
		return fmt.Errorf("%w: there is no command %s", errUsage, args[0])
	}
	o, err := optionsOf(args[0], args[1:], command.takes)
	if errors.Is(err, flag.ErrHelp) {
		return fmt.Errorf("%w: jobsctl %s %s\n%s", errUsage, args[0], command.takes, o.help())
	}
	if err != nil {
		return fmt.Errorf("%w: %w", errUsage, err)
	}
	o.out, o.errOut = out, errOut
	if args[0] == "demo" {
		return demo(ctx, o)
	}
	url := os.Getenv("DATABASE_URL")
	if url == "" {
		return errors.New("DATABASE_URL has to name the database, such as postgres://jobs_operator@127.0.0.1/product")
	}
	store, err := jobs.Open(ctx, url)
	if err != nil {
		return err
	}
	defer func() { _ = store.Close() }()
	return command.does(ctx, store, o)
}

// commands are what can be called. takes is the argument without a dash, in brackets where it can be left out.
var commands map[string]struct {
	takes string
	does  func(ctx context.Context, store *jobs.Store, o *options) error
}

func init() { // they are told of in the error of call
	commands = map[string]struct {
		takes string
		does  func(ctx context.Context, store *jobs.Store, o *options) error
	}{
		"list": {"", list}, "group": {"", group}, "show": {"JOB", show}, "timeline": {"JOB", timeline},
		"plan": {"", plan}, "discard": {"", discard}, "apply": {"PLAN", apply}, "stop": {"PLAN", stopPlan}, "undo": {"PLAN", undo},
		"amend": {"JOB", amend}, "plans": {"[PLAN]", plans}, "demo": {"", nil},
	}
}
