//go:build unix

package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"
	"strconv"
	"strings"
	"time"
)

// asWorker is the environment variable with the file of what a process runs.
const asWorker = "RETRYC_SOAK_RUNS"

var errSoak = errors.New("so it is to end")

// work is one process. It writes down what runs before it runs, and what has returned before the worker knows. A kill
// loses no line, since the file is the kernel's.
func work(ctx context.Context, o options, file string) error {
	runs, err := os.OpenFile(file, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		return err
	}
	s, err := open(ctx, o.dialect, o.database)
	for ; err != nil && ctx.Err() == nil; s, err = open(ctx, o.dialect, o.database) { // the server may be away
		time.Sleep(50 * time.Millisecond)
	}
	if err != nil {
		return nil
	}
	defer s.close()
	return s.run(ctx, func(ctx context.Context, id string, attempt int, does string) (err error) {
		if _, err := fmt.Fprintln(runs, id, attempt, "begin"); err != nil {
			return err
		}
		defer func() {
			if _, wErr := fmt.Fprintln(runs, id, attempt, "end "+strconv.FormatBool(err == nil)); wErr != nil {
				err = wErr
			}
		}()
		err = errSoak // unless it returns
		return s.end(attempt, does)
	})
}

// end ends as the payload says.
func (s *store) end(attempt int, does string) error {
	end, once := strings.CutSuffix(does, " once")
	if once && attempt > 1 {
		return nil
	}
	switch end {
	case "fail":
		return errSoak
	case "refuse":
		return s.refused
	case "snooze":
		return s.snooze(time.Millisecond)
	case "panic":
		panic("so it is to end")
	case "exit":
		runtime.Goexit()
	case "slow":
		time.Sleep(50 * time.Millisecond)
	}
	return nil
}
