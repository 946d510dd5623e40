package main

import (
	"flag"
	"fmt"
	"io"
	"strings"

	"github.com/retryc/retryc/examples/jobsctl/internal/jobs"
)

// options are what a command was called with.
type options struct {
	id      string // of a job or a plan
	filter  jobs.DeadFilter
	by      jobs.Signed
	hash    string
	payload string // a file
	after   string
	limit   int
	json    bool

	flags       *flag.FlagSet
	out, errOut io.Writer
}

// optionsOf reads the arguments behind a command, of which takes says whether one has no dash.
func optionsOf(command string, args []string, takes string) (*options, error) {
	o := &options{}
	if len(args) > 0 && !strings.HasPrefix(args[0], "-") && takes != "" {
		o.id, args = args[0], args[1:]
	}
	o.flags = flag.NewFlagSet(command, flag.ContinueOnError)
	o.flags.SetOutput(io.Discard)
	o.flags.BoolVar(&o.json, "json", false, "JSON in place of tables")
	switch command {
	case "list", "group", "plan", "discard":
		o.filters()
	case "apply", "stop", "undo", "amend":
		o.flags.StringVar(&o.by.Operator, "by", "", "who decides")
		o.flags.StringVar(&o.by.Reason, "why", "", "why, in a sentence")
	}
	switch command {
	case "list", "plans":
		o.flags.IntVar(&o.limit, "limit", 50, "how many at most")
		o.flags.StringVar(&o.after, "after", "", "the next of the page before")
	case "apply":
		o.flags.StringVar(&o.hash, "hash", "", "the hash of the plan")
	case "amend":
		o.flags.StringVar(&o.payload, "payload", "", "a file with the payload as JSON; - is standard input")
	}
	if err := o.flags.Parse(args); err != nil {
		return o, err
	}
	switch {
	case o.flags.NArg() > 0:
		return o, fmt.Errorf("%s: what is %s?", command, o.flags.Arg(0))
	case o.id == "" && takes != "" && !strings.HasPrefix(takes, "["):
		return o, fmt.Errorf("%s: name the %s", command, strings.ToLower(takes))
	}
	return o, nil
}

func (o *options) filters() {
	f := &o.filter
	o.flags.StringVar(&f.Queue, "queue", "", "of this queue")
	o.flags.StringVar(&f.Class, "class", "", "of this error class")
	o.flags.StringVar(&f.Reason, "reason", "", "given up for this reason, such as failures or permanent")
	o.flags.StringVar(&f.Fingerprint, "fingerprint", "", "of this cause")
	o.flags.StringVar(&f.Tenant, "tenant", "", "of this tenant")
	o.flags.DurationVar(&f.DeadFor, "dead-for", 0, "dead for so long at least")
	o.flags.DurationVar(&f.DeadWithin, "dead-within", 0, "dead for so long at most")
	o.flags.Func("job", "this job; can be repeated", func(id string) error {
		f.JobIDs = append(f.JobIDs, id)
		return nil
	})
}

// help are the flags, with what they mean.
func (o *options) help() string {
	var b strings.Builder
	o.flags.SetOutput(&b)
	o.flags.PrintDefaults()
	return b.String()
}
