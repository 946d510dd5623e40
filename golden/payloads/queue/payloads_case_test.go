package queue

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"
)

func every() EveryKind {
	note := "n"
	return EveryKind{
		Text: "a <b> \u2028 é", Link: "https://example.com/a?b=c", Colour: EveryKindColourLightGreen, Count: -1, TotalCents: math.MaxInt64,
		Ratio: 0.1, Urgent: true, Blob: []byte{0, 255}, DueAt: time.Date(2026, 1, 2, 3, 4, 5, 600, time.UTC),
		OrderID: "6ba7b810-9dad-11d1-80b4-00c04fd430c8", Extra: json.RawMessage(`{"a":[1,null]}`), Tags: []string{"x", ""}, IDs: []string{},
		Levels: []EveryKindLevelsItem{EveryKindLevelsItemHigh}, Prices: map[string]int64{"k": 1}, Account: 7, Kind: "type",
		Document: EveryKindDocument{URL: "urn:isbn:1", Pages: []EveryKindDocumentPagesItem{{Number: 1, Note: &note}, {Number: 2}}},
		ByName:   map[string]EveryKindByNameValue{"n": {ID: "6ba7b810-9dad-11d1-80b4-00c04fd430c8"}}, Matrix: [][]int{{1}, {}},
	}
}

func TestPayloadsSurviveTheirJSON(t *testing.T) {
	text, tier := "x", OptionalTierGold
	var defaulted Defaulted
	if err := json.Unmarshal([]byte("{}"), &defaulted); err != nil {
		t.Fatal(err)
	}
	for _, p := range []any{every(), Optional{}, Optional{Text: &text, Tier: &tier, Tags: []string{}, Blob: []byte{}}, defaulted, Empty{}} {
		raw, err := json.Marshal(p)
		if err != nil {
			t.Fatal(err)
		}
		back := reflect.New(reflect.TypeOf(p))
		if err := json.Unmarshal(raw, back.Interface()); err != nil {
			t.Fatalf("%s: %v", raw, err)
		}
		if !reflect.DeepEqual(back.Elem().Interface(), p) {
			t.Errorf("%+v came back as %+v", p, back.Elem())
		}
	}
}

func TestDefaultsAreFilledInOnDecodeAndOnEncode(t *testing.T) {
	const want = `{"text":"a \"quoted\" text","link":"https://example.com/a","colour":"blue","count":-3,"total_cents":9007199254740993,` +
		`"ratio":0.5,"urgent":true,"due_at":"2026-01-02T03:04:05Z","order_id":"6ba7b810-9dad-11d1-80b4-00c04fd430c8","tier":"gold"}`
	raw, err := json.Marshal(Defaulted{})
	if err != nil || string(raw) != want {
		t.Errorf("%s (%v), want %s", raw, err, want)
	}
	if f := (Defaulted{}).facts(); f.tier != "gold" {
		t.Errorf("tier %q, want the default", f.tier)
	}
	var d Defaulted
	if err := json.Unmarshal([]byte(`{"count":0,"text":""}`), &d); err != nil || *d.Count != 0 || *d.Text != "" || *d.Ratio != 0.5 {
		t.Errorf("a zero that was given was taken for one that was not: %+v (%v)", d, err)
	}
}

func TestEveryFieldThatBreaksTheRulesIsNamed(t *testing.T) {
	p := every()
	p.Text, p.Link, p.Colour, p.Ratio, p.OrderID = "\xff", "no link", "green", math.NaN(), "6BA7B810-9DAD-11D1-80B4-00C04FD430C8"
	p.Extra, p.Tags, p.Levels = json.RawMessage("{"), []string{"\xff"}, []EveryKindLevelsItem{"middle"}
	p.Document.URL, p.ByName["n"] = "", EveryKindByNameValue{}
	err := p.Validate()
	if err == nil {
		t.Fatal("valid")
	}
	const want = "text is not valid UTF-8\nlink is not a URI such as https://example.com/a\ncolour is not red, light green or 3d\n" +
		"ratio is not a finite number\norder_id is not a UUID in lower case\nextra is not JSON\ntags[0] is not valid UTF-8\n" +
		"levels[0] is not low or high\ndocument.url is not a URI such as https://example.com/a\nby_name[n].id is not a UUID in lower case"
	if err.Error() != want {
		t.Errorf("%s\nwant\n%s", err, want)
	}
	if err := every().Validate(); err != nil {
		t.Error(err)
	}
}

func TestMissingFieldsAreInvalidAndOtherShapesUndecodable(t *testing.T) {
	whole, err := json.Marshal(every())
	if err != nil {
		t.Fatal(err)
	}
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(whole, &fields); err != nil {
		t.Fatal(err)
	}
	for name := range fields {
		for what, value := range map[string]string{"missing": "", "null": "null", "of another shape": `{"x":{}}`} {
			changed := map[string]json.RawMessage{}
			for k, v := range fields {
				changed[k] = v
			}
			if value == "" {
				delete(changed, name)
			} else {
				changed[name] = json.RawMessage(value)
			}
			raw, err := json.Marshal(changed)
			if err != nil {
				t.Fatal(err)
			}
			var p EveryKind
			got := decode(raw, &p)
			switch {
			case name == "extra" && what == "of another shape":
				if got != nil {
					t.Errorf("%s %s: %v", name, what, got)
				}
			case got == nil:
				t.Errorf("%s %s: no error", name, what)
			case what != "of another shape" && (!strings.Contains(got.Error(), errInvalid.Error()) || !strings.Contains(got.Error(), name)):
				t.Errorf("%s %s: %v", name, what, got)
			}
		}
	}
}

func TestColumnsAreCopiedOntoEveryRow(t *testing.T) {
	// A name that a URI has to escape.
	store, err := Open(t.Context(), filepath.Join(t.TempDir(), "a b?c#d%41.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = store.Close() }()
	p := every()
	if _, err := EnqueueEveryKind(t.Context(), store, p); err != nil {
		t.Fatal(err)
	}
	if _, err := EnqueueOptional(t.Context(), store, Optional{}); err != nil {
		t.Fatal(err)
	}
	ran := make(chan struct{}, 2)
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error)
	go func() {
		ended <- Run(ctx, store,
			EveryKindWorker(func(_ context.Context, job *Job[EveryKind]) error {
				defer func() { ran <- struct{}{} }()
				if !reflect.DeepEqual(job.Payload, p) {
					t.Errorf("the handler got %+v, want %+v", job.Payload, p)
				}
				return nil
			}),
			OptionalWorker(func(context.Context, *Job[Optional]) error { ran <- struct{}{}; return nil }))
	}()
	<-ran
	<-ran
	stop()
	if err := <-ended; err != nil {
		t.Fatal(err)
	}
	rows, err := store.DB().Query(`select queue, tenant_id, account, colour, ratio, urgent, due_at from work_job_attempt
		union all select queue, tenant_id, account, colour, ratio, urgent, due_at from work_job order by queue`)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = rows.Close() }()
	var got []string
	for rows.Next() {
		var queue string
		var rest [6]any
		if err := rows.Scan(&queue, &rest[0], &rest[1], &rest[2], &rest[3], &rest[4], &rest[5]); err != nil {
			t.Fatal(err)
		}
		got = append(got, fmt.Sprint(queue, rest))
	}
	full := fmt.Sprint("required", [6]any{"7", int64(7), "light green", 0.1, int64(1), p.DueAt.UnixMilli()})
	if want := []string{fmt.Sprint("optional", [6]any{}), full, full}; !reflect.DeepEqual(got, want) {
		t.Errorf("%v\nwant\n%v", got, want)
	}
}
