package main

import (
	"fmt"
	"io"
	"os"
	"slices"
	"testing"
)

func TestLedgerTellsOfEveryStatementAttempt(t *testing.T) {
	for variable, server := range map[string]string{"DATABASE_URL": "RETRYC_TEST_POSTGRES", "AWS_ENDPOINT_URL_SQS": "RETRYC_TEST_SQS"} {
		if os.Getenv(server) == "" && os.Getenv("CI") != "true" {
			t.Skip("needs a server: set " + server + " to its URL")
		}
		t.Setenv(variable, os.Getenv(server))
	}
	for variable, value := range map[string]string{"AWS_REGION": "eu-central-1", "AWS_ACCESS_KEY_ID": "test", "AWS_SECRET_ACCESS_KEY": "test", "STATEMENT_QUEUE_URL": ""} {
		t.Setenv(variable, value)
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
		`["acc_1","2026-11"] 1 ok `,
		`["acc_2","2026-11"] 1 transient mail_server_down`, `["acc_2","2026-11"] 2 transient mail_server_down`, `["acc_2","2026-11"] 3 ok `,
		`["acc_3","2026-11"] 1 permanent no_mailbox`,
		`["acc_4","2026-11"] 1 ok `,
	}
	if !slices.Equal(got, want) {
		t.Errorf("the ledger has\n%q, want\n%q", got, want)
	}
}
