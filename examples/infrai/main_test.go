package main

import (
	"fmt"
	"io"
	"os"
	"slices"
	"testing"
)

func TestLedgerTellsOfEveryPayoutAttempt(t *testing.T) {
	for variable, server := range map[string]string{"DATABASE_URL": "RETRYC_TEST_POSTGRES"} {
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
		`["po_1"] 1 ok `,
		`["po_2"] 1 transient bank_down`, `["po_2"] 2 transient bank_down`, `["po_2"] 3 ok `,
		`["po_3"] 1 permanent refused`,
		`["po_4"] 1 ok `,
	}
	if !slices.Equal(got, want) {
		t.Errorf("the ledger has\n%q, want\n%q", got, want)
	}
}
