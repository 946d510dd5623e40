package spectest

import (
	"strings"
	"testing"

	"github.com/retryc/retryc/spec/diag"
)

func TestOverlayReplacesWholeSections(t *testing.T) {
	got := string(Overlay("# note\nqueues:\n\tbroken: [\nunmatched: permanent\n"))
	if strings.Count(got, "queues:") != 1 || strings.Contains(got, "thumbnails") {
		t.Errorf("the section of the base is still there:\n%s", got)
	}
	if !strings.Contains(got, "ledger:") || !strings.HasSuffix(got, "unmatched: permanent\n") {
		t.Errorf("a section is missing:\n%s", got)
	}
}

func TestWholeExampleStandsForItself(t *testing.T) {
	if got := string(Source(diag.Example{Text: "version: 2\n", Whole: true})); got != "version: 2\n" {
		t.Errorf("source = %q", got)
	}
}
