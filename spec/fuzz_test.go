package spec_test

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/retryc/retryc/spec"
	"github.com/retryc/retryc/spec/diag"
	"github.com/retryc/retryc/spec/spectest"
)

// Whatever the bytes are, Parse gives findings that point into the file and that can be shown, agrees with the schema on
// what is wrong, and gives a document that has what the format requires when it finds nothing.
func FuzzParse(f *testing.F) {
	codes, valid := diag.Codes(), compiled(f)
	f.Add([]byte(spectest.Base))
	files, _ := filepath.Glob("testdata/*.yaml")
	whole, _ := filepath.Glob("../golden/*/retry.yaml")
	files = append(files, whole...)
	for _, file := range files {
		src, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(src)
	}
	for _, code := range codes {
		bad, good := diag.Examples(code)
		f.Add(spectest.Source(bad))
		f.Add(spectest.Source(good))
	}
	for _, s := range []string{
		"", "\x00", "\xef\xbb\xbf", "\r", "a: &a [*a]", "a: *b", "<<: {}", "? {}", "- - - -", "a: |\n  b", "\"a\\nb\": 1", "a: 1e999999999",
		"caps: {attempts: 99999999999999999999}", "version: 1.0", "--- a\n--- b", "%YAML 1.1\n---\n", "a: !!binary aGk=", "'': {}", "{a: {b: {c: [",
		"a/b~c: 1", "queues: {a%20b: {}}", "a: !<tag:yaml.org,2002:null> x", "laders: {}\nladderz: {}",
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, src []byte) {
		doc, findings := spec.Parse("retry.yaml", src)
		lines := strings.Split(strings.TrimPrefix(string(src), "\xef\xbb\xbf"), "\n")
		for _, d := range findings {
			if d.Message == "" || !slices.Contains(codes, d.Code) {
				t.Errorf("a finding without words, or with a code that nothing explains: %+v", d)
			}
			inside(t, lines, d.Pos)
			if d.Related != nil {
				inside(t, lines, d.Related.Pos)
			}
		}
		for _, format := range diag.Formats {
			if err := findings.Write(&bytes.Buffer{}, format, "retry.yaml", src); err != nil {
				t.Error(err)
			}
		}
		agree(t, valid, src, findings)
		if !findings.HasErrors() {
			complete(t, doc)
		}
	})
}

func inside(t *testing.T, lines []string, pos diag.Pos) {
	if pos.Line < 1 || pos.Line > len(lines) || pos.Col < 1 || pos.Col > utf8.RuneCountInString(lines[pos.Line-1])+1 {
		t.Errorf("%+v is outside of the file", pos)
	}
}

func complete(t *testing.T, doc *spec.Document) {
	if doc.Version.V != 1 || !doc.Generate.Package.Set() || !doc.Generate.Go.Set() || !doc.DefaultLadder.Set() || !doc.Ledger.Dialect.Set() {
		t.Error("nothing is wrong, and yet a required value is missing")
	}
	for _, l := range doc.Ladders {
		if e := l.Exponential; len(l.Rungs) == 0 && (e == nil || !e.First.Set() || !e.Factor.Set() || !e.Cap.Set() || !e.Rungs.Set()) {
			t.Errorf("nothing is wrong, and yet the ladder %q has no rungs", l.Name.V)
		}
	}
	for _, c := range doc.Classes {
		if !c.Name.Set() || !c.Outcome.Set() || len(c.When) == 0 {
			t.Errorf("nothing is wrong, and yet the class %q is not complete", c.Name.V)
		}
		for _, w := range c.When {
			if len(w.HTTP) == 0 && len(w.SQLState) == 0 && !w.Is.Set() && !w.As.Set() && !w.Payload.Set() && !w.Message.Set() &&
				!w.Timeout.V && !w.Crash.V && !w.Panic.V {
				t.Errorf("nothing is wrong, and yet a condition of %q is empty", c.Name.V)
			}
		}
	}
	for _, q := range doc.Queues {
		typed(t, q.Payload)
		if q.Backend.Broker.Set() != q.Backend.Variable().Set() {
			t.Errorf("nothing is wrong, and yet the backend of %q lacks its broker or its variable", q.Name.V)
		}
	}
}

func typed(t *testing.T, fields []spec.Field) {
	for _, f := range fields {
		for at := &f.Type; at != nil; at = at.Elem {
			if !at.Kind.Set() || (at.Kind.V == "list" || at.Kind.V == "map") != (at.Elem != nil) {
				t.Errorf("nothing is wrong, and yet the field %q has no complete type", f.Name.V)
			}
			typed(t, at.Fields)
		}
	}
}
