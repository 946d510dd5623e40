package main

import (
	"bytes"
	"io"
	"os"
	"strings"
	"testing"
)

func TestEverySideHasEveryJobInTheLedger(t *testing.T) {
	for broker, servers := range map[string][]string{
		"rabbitmq": {"RETRYC_TEST_POSTGRES", "RETRYC_TEST_RABBITMQ"}, "sqs": {"RETRYC_TEST_POSTGRES", "RETRYC_TEST_SQS"}, "infrai": {"RETRYC_TEST_POSTGRES"},
	} {
		t.Run(broker, func(t *testing.T) {
			for _, name := range servers {
				if os.Getenv(name) == "" && os.Getenv("CI") != "true" {
					t.Skip("needs a server: set " + name + " to its URL")
				}
			}
			o, err := parse([]string{"-brokers", broker, "-jobs", "40", "-rounds", "1", "-quiet", "0s"})
			if err != nil {
				t.Fatal(err)
			}
			var out bytes.Buffer
			if err := run(t.Context(), &out, io.Discard, o); err != nil {
				t.Fatal(err)
			}
			if n := strings.Count(out.String(), "| "+broker+" | "); n != len(o.modes)*len(sides) {
				t.Errorf("the table is\n%s", &out)
			}
		})
	}
}

func TestUnknownBrokersAndModesAreRefused(t *testing.T) {
	for _, args := range [][]string{{"-brokers", "pigeon"}, {"-modes", "luck"}, {"-jobs", "0"}, {"-jobs", "10001"}, {"-rounds", "0"}} {
		if _, err := parse(args); err == nil {
			t.Errorf("%v is taken", args)
		}
	}
}

func TestTableHasMediansAndRatios(t *testing.T) {
	var all []sample
	for _, perSec := range []float64{100, 300, 200} {
		all = append(all, sample{"sqs", "backlog", "bare", 5, perSec, 1}, sample{"sqs", "backlog", "worker", 5, perSec / 2, 0.5}, sample{"sqs", "backlog", "message", 5, perSec / 4, 1})
	}
	want := "| sqs | backlog | worker | 5 | 100 (50–150) | 0.50 | 50% |\n"
	if got := table([]string{"sqs"}, []string{"backlog"}, all); !strings.Contains(got, want) {
		t.Errorf("%s\nlacks\n%s", got, want)
	}
}
