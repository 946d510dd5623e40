package diag_test

import (
	"testing"

	"github.com/retryc/retryc/spec/diag"
)

func TestNearestIsWhatAPersonMeant(t *testing.T) {
	names := []string{"standard", "gentle", "short", "merchant_id"}
	for word, want := range map[string]string{
		"standrad":         "standard", // swapped
		"genle":            "gentle",   // dropped
		"shortt":           "short",
		"merchantId":       "merchant_id",
		"MERCHANT-ID":      "merchant_id",
		"shxxt":            "",
		"x":                "",
		"":                 "",
		"weekly-statement": "",
	} {
		if got := diag.Nearest(word, names); got != want {
			t.Errorf("Nearest(%q) = %q, want %q", word, got, want)
		}
	}
}

func TestNearestTakesTheFirstOfEquals(t *testing.T) {
	if got := diag.Nearest("cat", []string{"bat", "rat"}); got != "bat" {
		t.Errorf("got %q", got)
	}
}

func TestNearestKeyIsNamedAndNothingFarAway(t *testing.T) {
	keys := []string{"attempts", "crashes", "delay", "retry_after", "window"}
	for got, want := range map[string]string{
		"atempts": "attempts", "attemtps": "attempts", "attempt": "attempts", "retryAfter": "retry_after", "retry-after": "retry_after",
		"Window": "window", "dealy": "delay", "max": "", "": "", "deadline": "", "x": "",
	} {
		if meant := diag.Nearest(got, keys); meant != want {
			t.Errorf("nearest to %q is %q, want %q", got, meant, want)
		}
	}
}
