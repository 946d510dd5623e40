package diag

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// root is the module's folder.
const root = "../.."

// used finds the codes that the sources of the module give, tests aside.
func used(t *testing.T) []string {
	t.Helper()
	literal := regexp.MustCompile(`"(RC[0-9]{3})"`)
	var codes []string
	err := filepath.WalkDir(root, func(path string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if e.IsDir() {
			_, nested := os.Stat(filepath.Join(path, "go.mod"))
			if path != root && (nested == nil || strings.HasPrefix(e.Name(), ".") || e.Name() == "testdata") {
				return fs.SkipDir
			}
			return nil
		}
		if !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return nil
		}
		src, err := os.ReadFile(path)
		for _, m := range literal.FindAllSubmatch(src, -1) {
			codes = append(codes, string(m[1]))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(codes)
	return slices.Compact(codes)
}

func TestEveryCodeIsExplainedAndEveryExplanationIsOfACode(t *testing.T) {
	inUse, explained := used(t), Codes()
	for _, code := range inUse {
		if !slices.Contains(explained, code) {
			t.Errorf("%s is given, and spec/diag/codes/%s.md is missing", code, code)
		}
	}
	for _, code := range explained {
		if !slices.Contains(inUse, code) {
			t.Errorf("spec/diag/codes/%s.md explains a code that nothing gives", code)
		}
	}
}

func TestExplanationsHaveOneForm(t *testing.T) {
	for _, code := range Codes() {
		text, _ := Explain(code)
		title := Title(code)
		if !strings.HasPrefix(text, "# "+code+": ") || title == "" || strings.HasSuffix(title, ".") {
			t.Errorf("%s does not begin with # %s: and a title without a full stop", code, code)
		}
		prose, _, _ := strings.Cut(strings.TrimPrefix(text, "# "+code+": "+title), "```")
		if n := len(regexp.MustCompile(`[.!?](\s|$)`).FindAllString(prose, -1)); n < 2 || n > 6 {
			t.Errorf("%s explains itself in %d sentences, want two to six", code, n)
		}
		if strings.Count(text, "```")%2 != 0 {
			t.Errorf("%s has a snippet that does not end", code)
		}
	}
}

func TestExplainIsForgivingAboutCase(t *testing.T) {
	text, ok := Explain("rc104")
	if !ok || !strings.HasPrefix(text, "# RC104: duration without a unit\n") {
		t.Errorf("Explain(rc104) = %.40q, %v", text, ok)
	}
	if _, ok := Explain("../write"); ok {
		t.Error("a path is taken for a code")
	}
	if _, ok := Explain("RC999"); ok {
		t.Error("RC999 is explained")
	}
}

func TestExamplesAreTheSnippetsOfTheText(t *testing.T) {
	bad, good := Examples("RC006")
	if !bad.Whole || !good.Whole || !strings.HasPrefix(bad.Text, "# retry policy") || !strings.HasPrefix(good.Text, "version: 1\n") {
		t.Errorf("RC006: %+v %+v", bad, good)
	}
	bad, good = Examples("RC012")
	if bad.Whole || good.Whole || bad.Text == "" || bad.Text == good.Text {
		t.Errorf("RC012: %+v %+v", bad, good)
	}
	if bad, good = Examples("RC999"); bad.Text != "" || good.Text != "" {
		t.Errorf("RC999: %+v %+v", bad, good)
	}
}
