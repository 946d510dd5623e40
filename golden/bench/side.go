package main

import (
	"context"
	"fmt"
	"iter"
	"strconv"
	"strings"
)

// side is one of those that are compared, on a database of its own.
type side interface {
	database
	// fill adds the jobs from..to-1, up to a thousand in a transaction.
	fill(ctx context.Context, from, to int) error
	// add adds one job, in a transaction of its own.
	add(ctx context.Context, n int) error
	// work runs jobs until ctx ends; when it returns, the ends of all that were handled are committed. handle is called
	// with the number of a job; committed, where it is not nil, once its success is in the database.
	work(ctx context.Context, handle func(n int) error, committed func(n int)) error
	// left is how many jobs are not done.
	left(ctx context.Context) (int, error)
	// settings says how this side was set up.
	settings(ctx context.Context) (string, error)
}

// database is where a side keeps its jobs.
type database interface {
	// count answers a query with one number.
	count(ctx context.Context, query string) (int, error)
	// durability reads back what a commit waits for.
	durability(ctx context.Context) (string, error)
	// ready brings the database into a state before the first job comes, and filled is told when a measurement's jobs are in.
	ready(ctx context.Context, state string, o options) error
	filled(ctx context.Context) error
	// meter is what this process and the server have used so far.
	meter(ctx context.Context) (meter, error)
	close() error
}

// dialect is a database product with the sides that can be measured on it.
type dialect struct {
	workers string // by default, as the flag has it
	rate    int
	counts  []int    // the concurrencies that retry.yaml has queues of
	names   []string // of the sides; the first is what the others are compared with
	sides   map[string]func(ctx context.Context, o options, dir string, workers int) (side, error)
	states  []string
	modules []string // whose versions matter
}

var dialects = map[string]dialect{"sqlite": sqliteDialect, "postgres": postgresDialect}

// thumbnail is the payload of all sides: about 200 bytes of JSON.
type thumbnail struct {
	EventID    string `json:"event_id"`
	MerchantID string `json:"merchant_id"`
	Plan       string `json:"plan,omitempty"`
	SourceURL  string `json:"source_url"`
	Width      int    `json:"width,omitempty"`
}

const eventPrefix = "evt_"

func thumbnailOf(n int) thumbnail {
	merchant := fmt.Sprintf("merchant_%04d", n%500)
	return thumbnail{
		EventID: eventPrefix + strconv.Itoa(n), MerchantID: merchant, Plan: "paid",
		SourceURL: fmt.Sprintf("https://documents.example.com/%s/uploads/2026/11/30/%032x/original.pdf", merchant, n), Width: 128,
	}
}

// batches are the payloads from..to-1, a thousand at a time.
func batches(from, to int) iter.Seq[[]thumbnail] {
	return func(yield func([]thumbnail) bool) {
		for ; from < to; from += 1000 {
			var batch []thumbnail
			for n := from; n < min(from+1000, to); n++ {
				batch = append(batch, thumbnailOf(n))
			}
			if !yield(batch) {
				return
			}
		}
	}
}

// numberOf is n of an event_id.
func numberOf(eventID string) (int, error) {
	return strconv.Atoi(strings.TrimPrefix(eventID, eventPrefix))
}
