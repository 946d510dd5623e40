package main

import (
	"fmt"
	"io"
	"os"
	"slices"
	"testing"
)

func TestLedgerTellsOfEveryWebhookAttempt(t *testing.T) {
	for variable, server := range map[string]string{"DATABASE_URL": "RETRYC_TEST_POSTGRES", "RABBITMQ_URL": "RETRYC_TEST_RABBITMQ"} {
		if os.Getenv(server) == "" && os.Getenv("CI") != "true" {
			t.Skip("needs a server: set " + server + " to its URL")
		}
		t.Setenv(variable, os.Getenv(server))
	}
	ledger, err := run(t.Context(), io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, a := range ledger {
		got = append(got, fmt.Sprintf("%s %d %s %s", a.Key, a.Number, a.Outcome, a.Class))
	}
	want := []string{
		`["evt_1_fine"] 1 ok `,
		`["evt_2_flaky"] 1 transient merchant_down`, `["evt_2_flaky"] 2 transient merchant_down`, `["evt_2_flaky"] 3 ok `,
		`["evt_3_gone"] 1 permanent gone`,
		`["evt_4_fine"] 1 ok `,
	}
	if !slices.Equal(got, want) {
		t.Errorf("the ledger has\n%q, want\n%q", got, want)
	}
}
