package migrate

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var (
	oneColumn = Schema{Dialect: "sqlite", Shape: Shape, Job: "job", Attempt: "job_attempt", DeadLetter: "dead_letter", Columns: []Column{{Name: "a", Type: "text", From: "a"}}}
	first     = Record{Format: "plain"}.Append(map[string]string{"1_retryc.sql": "11"}, Schema{Dialect: "sqlite", Shape: Shape, Job: "job", Attempt: "job_attempt", DeadLetter: "dead_letter", Columns: []Column{}})
	second    = first.Append(map[string]string{"2_retryc_add_a.sql": "22", "down/2_retryc_add_a.sql": "23"}, oneColumn)
)

func TestRecordComesBackAsItWas(t *testing.T) {
	got, err := Decode(second.Encode())
	if diff := cmp.Diff(second, got); err != nil || diff != "" {
		t.Error(err, diff)
	}
	if s, there := got.Last(); !there || !cmp.Equal(s, oneColumn) {
		t.Error(s, there)
	}
	if !got.Has("down/2_retryc_add_a.sql") || got.Has("3.sql") {
		t.Error("the files are not known")
	}
}

// Whatever is changed in a record, it is noticed.
func TestRecordThatIsNotAsItWasWritten(t *testing.T) {
	text := string(second.Encode())
	for _, tt := range []struct{ old, new, want string }{
		{`"22"`, `"33"`, "its entry 2 is not as it was written"},
		{`"1_retryc.sql": "11"`, `"1_retryc.sql": "12"`, "its entry 1 is not as it was written"},
		{`"type": "text"`, `"type": "real"`, "its entry 2 is not as it was written"},
		{`"chain": "`, `"chain": "0`, "its entry 1 is not as it was written"},
		{`"2_retryc_add_a.sql"`, `"2_retryc.sql"`, "its entry 2 is not as it was written"},
		{`"format": "plain"`, `"format": "goose"`, "its entry 1 is not as it was written"},
		{`"version": 1`, `"version": 2`, ErrNewer.Error()},
		{`"shape": 1`, `"shape": 2`, ErrNewer.Error()},
		{`"migrations"`, `"migration"`, "it is not a record of migrations"},
		{`{`, ``, "it is not a record of migrations"},
	} {
		edited := strings.Replace(text, tt.old, tt.new, 1)
		if edited == text {
			t.Fatalf("the record has no %s", tt.old)
		}
		if _, err := Decode([]byte(edited)); err == nil || err.Error() != tt.want {
			t.Errorf("%s for %s: %v, want %s", tt.new, tt.old, err, tt.want)
		}
	}
	outside := Record{Format: "plain"}.Append(map[string]string{"../1.sql": "11"}, oneColumn)
	if _, err := Decode(outside.Encode()); err == nil || err.Error() != "its entry 1 names a file outside the folder" {
		t.Error(err)
	}
}

func TestSidesOfAConflict(t *testing.T) {
	other := first.Append(map[string]string{"2_retryc_add_b.sql": "44"}, oneColumn)
	ours, theirs := string(second.Encode()), string(other.Encode())
	// As git has it: what both begin and end with is there once, and perhaps what was before.
	common := 0
	for ours[:common+1] == theirs[:common+1] {
		common++
	}
	common = strings.LastIndex(ours[:common], "\n") + 1
	for _, base := range []string{"", "||||||| 1234567\n    what was before\n"} {
		text := ours[:common] + "<<<<<<< HEAD\n" + ours[common:] + base + "=======\n" + theirs[common:] + ">>>>>>> branch\n"
		if _, err := Decode([]byte(text)); !errors.Is(err, ErrConflict) {
			t.Error(err)
		}
		fork, err := ForkOf([]byte(strings.ReplaceAll(text, "\n", "\r\n")))
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff([]Record{second, other}, []Record{fork.Ours, fork.Theirs}); diff != "" {
			t.Error(diff)
		}
		a, b := fork.Added()
		if !cmp.Equal(a, []string{"2_retryc_add_a.sql", "down/2_retryc_add_a.sql"}) || !cmp.Equal(b, []string{"2_retryc_add_b.sql"}) || fork.Shared() != "" {
			t.Error(a, b, fork.Shared())
		}
	}
}
