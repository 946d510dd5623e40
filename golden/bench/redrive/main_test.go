package main

import (
	"os"
	"regexp"
	"strings"
	"testing"
	"time"
)

func TestMeasurementInSmall(t *testing.T) {
	url := os.Getenv("RETRYC_TEST_POSTGRES")
	if url == "" && os.Getenv("CI") != "true" {
		t.Skip("needs a server: set RETRYC_TEST_POSTGRES to its URL")
	}
	var out strings.Builder
	if err := run(t.Context(), &out, options{postgres: url, dead: 600, rate: 50, normal: time.Second}); err != nil {
		t.Fatalf("%v\n%s", err, out.String())
	}
	for _, want := range []string{`plan all +\S+`, `redrive of 600 .*state done`, `fresh work beside it +\S+ +p99 of [0-9]+ jobs`, `ratio of the p99 +[0-9.]+`} {
		if !regexp.MustCompile(want).MatchString(out.String()) {
			t.Errorf("no %s in\n%s", want, out.String())
		}
	}
}
