package main

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// side is one of those that are compared, on a database of its own.
type side interface {
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
	close() error
}

var sideNames = map[string]func(ctx context.Context, path string, workers int) (side, error){
	"river": openRiver,
	"plain": func(ctx context.Context, path string, workers int) (side, error) {
		return openRetryc(ctx, path, plainQueues[workers])
	},
	"keyed": func(ctx context.Context, path string, workers int) (side, error) {
		return openRetryc(ctx, path, keyedQueues[workers])
	},
}

// thumbnail is the payload of both sides: about 200 bytes of JSON.
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

// numberOf is n of an event_id.
func numberOf(eventID string) (int, error) {
	return strconv.Atoi(strings.TrimPrefix(eventID, eventPrefix))
}

// pragmas reads back what a commit waits for, and what the connections were told otherwise.
func pragmas(ctx context.Context, db *sql.DB) (string, error) {
	read := []string{"journal_mode", "synchronous", "busy_timeout", "temp_store", "wal_autocheckpoint"}
	var version string
	err := db.QueryRowContext(ctx, "select sqlite_version()").Scan(&version)
	text := "SQLite " + version
	for _, name := range read {
		var value string
		err = errors.Join(err, db.QueryRowContext(ctx, "pragma "+name).Scan(&value))
		text += fmt.Sprintf(", %s=%s", name, value)
	}
	return strings.NewReplacer("synchronous=2", "synchronous=FULL", "temp_store=2", "temp_store=MEMORY").Replace(text), err
}
