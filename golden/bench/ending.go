package main

import (
	"context"
	"log/slog"
	"slices"
	"sync"
)

// endings finds out which job an event of the log is about.
type endings struct {
	jobs      sync.Map // job_id to number
	committed func(n int)
}

// logHandler is a slog.Handler that listens for the successes of attempts and writes nothing.
type logHandler struct {
	*endings
	attrs []slog.Attr
}

func (h logHandler) Enabled(context.Context, slog.Level) bool { return true }

func (h logHandler) WithAttrs(attrs []slog.Attr) slog.Handler {
	h.attrs = slices.Concat(h.attrs, attrs)
	return h
}

func (h logHandler) WithGroup(string) slog.Handler { return h }

func (h logHandler) Handle(_ context.Context, event slog.Record) error {
	succeeded := false
	event.Attrs(func(a slog.Attr) bool {
		succeeded = succeeded || a.Key == "outcome" && a.Value.String() == "ok"
		return true
	})
	if !succeeded {
		return nil
	}
	for _, a := range h.attrs {
		if a.Key == "job_id" {
			if n, there := h.jobs.Load(a.Value.String()); there {
				h.committed(n.(int))
			}
		}
	}
	return nil
}
