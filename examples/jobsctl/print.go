package main

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/retryc/retryc/examples/jobsctl/internal/jobs"
)

// orJSON writes v as JSON, unless there was an error.
func orJSON(o *options, v any, err error) error {
	if err != nil {
		return err
	}
	enc := json.NewEncoder(o.out)
	enc.SetIndent("", "  ")
	enc.SetEscapeHTML(false)
	return enc.Encode(v)
}

// readable is a history whose payload is JSON in JSON, where it can be.
func readable(h jobs.JobHistory) any {
	if !json.Valid(h.Payload) {
		return h
	}
	return struct {
		jobs.JobHistory
		Payload json.RawMessage
	}{h, h.Payload}
}

// table is columns one below the other.
type table struct{ w *tabwriter.Writer }

func newTable(out io.Writer, head ...string) table {
	t := table{tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)}
	if len(head) > 0 {
		_, _ = fmt.Fprintln(t.w, strings.Join(head, "\t"))
	}
	return t
}

func (t table) row(cells ...any) {
	for i, c := range cells {
		if i > 0 {
			_, _ = fmt.Fprint(t.w, "\t")
		}
		_, _ = fmt.Fprint(t.w, first(fmt.Sprint(c), "-"))
	}
	_, _ = fmt.Fprintln(t.w)
}

func (t table) end() error { return t.w.Flush() }

// bar is how far something is.
func bar(n, of int) string {
	const width = 20
	full := width
	if of > 0 {
		full = min(width, width*n/of)
	}
	return "[" + strings.Repeat("#", full) + strings.Repeat(".", width-full) + "]"
}

func clock(at time.Time) string {
	if at.IsZero() {
		return ""
	}
	return at.UTC().Format("2006-01-02 15:04:05Z")
}

// oneLine is a text that spoils no table: cut, and with nothing in it that moves the cursor.
func oneLine(text string, most int) string {
	runes := []rune(strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f {
			return ' '
		}
		return r
	}, text))
	if len(runes) > most {
		return string(runes[:most-1]) + "…"
	}
	return string(runes)
}

func first(texts ...string) string {
	for _, t := range texts {
		if t != "" {
			return t
		}
	}
	return ""
}
