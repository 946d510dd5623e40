package worker

import (
	"encoding/json"
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"
	"unicode/utf8"
)

func TestDetailIsValidBoundedAndRedacted(t *testing.T) {
	d := detailTable{max: 40, redact: []redaction{redactBearer, redactEmail, redactCardNumber, redactPattern("api_key", `sk_\w+`)}}
	for text, want := range map[string]string{
		"plain":                           "plain",
		"nul\x00 and \xff":                "nul\uFFFD and \uFFFD",
		"Authorization: Bearer abc.def-1": "Authorization: Bearer [redacted]",
		"to ann@example.com, thanks":      "to [redacted], thanks",
		"card 4111 1111 1111 1111 said":   "card [redacted] said",
		"order 4111111111111112 said":     "order 4111111111111112 said",
		"key sk_live_1 is bad":            "key [api_key] is bad",
		strings.Repeat("é", 30):           strings.Repeat("é", 18) + "…",
	} {
		got := d.clean(text)
		if got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
		if len(got) > d.max || !utf8.ValidString(got) {
			t.Errorf("%q: %d bytes", got, len(got))
		}
	}
}

func TestNoHalfOfASecretStaysWhereALongTextIsCut(t *testing.T) {
	d := detailTable{max: 100, redact: []redaction{redactEmail}}
	for shift := range 60 {
		text := strings.Repeat("a@b.cc ", 1600/7-4) + strings.Repeat("x", shift) + " secretname@example.com " + strings.Repeat("y", 1000)
		if got := d.clean(text); strings.Contains(got, "secret") {
			t.Errorf("shift %d: %q", shift, got)
		}
	}
}

func TestFingerprintGroupsOneCause(t *testing.T) {
	same := []string{
		`get "https://a/1": no such host`, `get "https://b/2?x": no such host`,
	}
	if a, b := fingerprint("c", errBroken, same[0]), fingerprint("c", errBroken, same[1]); a != b {
		t.Error("a quoted value makes a difference")
	}
	if a, b := fingerprint("c", errBroken, "job 0197-ab 12 of 10.0.0.1:80"), fingerprint("c", errBroken, "job 4242-cd 7 of 10.0.0.2:8080"); a != b {
		t.Error("numbers make a difference")
	}
	base := fingerprint("c", errBroken, "x")
	for name, other := range map[string]string{
		"class":  fingerprint("d", errBroken, "x"),
		"text":   fingerprint("c", errBroken, "y"),
		"status": fingerprint("c", statusError(500), "x"),
		"state":  fingerprint("c", stateError("40001"), "x"),
	} {
		if other == base {
			t.Errorf("%s makes no difference", name)
		}
	}
	if fingerprint("c", errBroken, "x\nstack 1") != base {
		t.Error("the second line makes a difference")
	}
}

func TestWhatVariesIsMasked(t *testing.T) {
	for line, want := range map[string]string{
		"":                                  "",
		`get "https://a/1?x": no such host`: "get ?: no such host",
		"a `b c` d":                         "a ? d",
		"can't open 'a b'":                  "can't open ?",
		`one " alone`:                       `one " alone`,
		`"" and ''`:                         "? and ?",
		"job 0197-ab of 10.0.0.1:80/x":      "job ? of ?/x",
		"größe७ 5€, v2.":                    "? ?€, ?",
		"plain-words: stay_as.they are":     "plain-words: stay_as.they are",
		"\xff1'":                            "\xff?'",
		"a'1' b:'c'":                        "a'?' b:?",
	} {
		if got := masked(line); got != want {
			t.Errorf("%q: %q, want %q", line, got, want)
		}
	}
}

func TestRetryAfterIsSecondsOrADateAndNothingElse(t *testing.T) {
	now := time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)
	for text, want := range map[string]time.Duration{
		"120":                  2 * time.Minute,
		"0":                    0,
		"99999999999999999999": 1<<63 - 1,
		"-5":                   0,
		"+5":                   0,
		"1.5":                  0,
		" ":                    0,
		"":                     0,
		"soon":                 0,
		"2026-11-30T13:00:00Z": 0,
		now.Add(time.Hour).Format(http.TimeFormat):  time.Hour,
		now.Add(-time.Hour).Format(http.TimeFormat): 0,
	} {
		resp := &http.Response{StatusCode: 429, Header: http.Header{"Retry-After": {text}, "Date": {now.Format(http.TimeFormat)}}}
		if got := askedBy(CheckResponse(resp)); got != want {
			t.Errorf("%q: %v, want %v", text, got, want)
		}
	}
	soon := time.Now().Add(time.Hour).UTC().Format(http.TimeFormat)
	if got := askedBy(CheckResponse(&http.Response{StatusCode: 503, Header: http.Header{"Retry-After": {soon}}})); got < 59*time.Minute || got > time.Hour {
		t.Errorf("a date without the answer's own: %v", got)
	}
	if err := CheckResponse(&http.Response{StatusCode: 204}); err != nil {
		t.Error(err)
	}
}

func TestKeyTextAndJobID(t *testing.T) {
	at := time.Date(2026, 1, 2, 3, 4, 5, 600, time.FixedZone("", 3600))
	for _, c := range []struct {
		fields  []any
		key, id string
	}{
		{[]any{"evt_1"}, `["evt_1"]`, ""},
		{[]any{"a\"\\\b\t\n\f\r\x01\u2028<é>", 7, int64(-8), true}, `["a\"\\\b\t\n\f\r\u0001` + "\u2028" + `<é>",7,-8,true]`, ""},
		{[]any{at}, `["2026-01-02T02:04:05.0000006Z"]`, ""},
	} {
		key, err := keyText(c.fields)
		if err != nil || key != c.key {
			t.Errorf("%v: %s, want %s (%v)", c.fields, key, c.key, err)
		}
	}
	// python3: h = sha256(len(q).to_bytes(8,'big') + q + k).digest()[:16], then version 8 and the variant are set
	if got, want := derivedID("thumbnails", `["evt_1"]`), "40e97027-70e3-8c83-a74c-e506ae6403e8"; got != want {
		t.Errorf("job_id %s, want %s", got, want)
	}
	for _, empty := range [][]any{{""}, {"a", ""}, {time.Time{}}, {"\xff"}, {1.5}} {
		if key, err := keyText(empty); err == nil {
			t.Errorf("%v: %s", empty, key)
		}
	}
}

func TestRandomIDsAreVersion7AndDiffer(t *testing.T) {
	a, b := randomID(), randomID()
	if a == b || a[14] != '7' || !strings.ContainsRune("89ab", rune(a[19])) || a[:8] > b[:8] {
		t.Errorf("%s %s", a, b)
	}
}

func TestDecodeTellsUndecodableFromInvalid(t *testing.T) {
	var n strictNote
	for raw, want := range map[string]error{`{"key":"a"}`: nil, `{"key":`: errUndecodable, `{"key":1}`: errUndecodable, `{}`: errInvalid, `{"key":null}`: errInvalid, `{"key":"\ud800"}`: nil} {
		if err := decode([]byte(raw), &n); !errors.Is(err, want) {
			t.Errorf("%s: %v, want %v", raw, err, want)
		}
	}
}

type strictNote struct{ Key string }

func (n *strictNote) UnmarshalJSON(raw []byte) error {
	if err := requireFields(raw, "key"); err != nil {
		return err
	}
	type plain note
	var p plain
	err := json.Unmarshal(raw, &p)
	n.Key = p.Key
	return err
}

func (n strictNote) Validate() error {
	var b breaches
	b.text("key", n.Key)
	return b.err()
}

func (n strictNote) facts() facts { return facts{} }
