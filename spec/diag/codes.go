package diag

import (
	"embed"
	"path"
	"regexp"
	"slices"
	"strings"
)

// The catalogue: one file a code, in which a title, a text, and examples that the tests run.
//
//go:embed codes/*.md
var catalogue embed.FS

// Codes are all codes of the tool, sorted.
func Codes() []string {
	files, err := catalogue.ReadDir("codes")
	if err != nil {
		panic(err) // the folder is embedded
	}
	var codes []string
	for _, f := range files {
		codes = append(codes, strings.TrimSuffix(f.Name(), ".md"))
	}
	slices.Sort(codes)
	return codes
}

// Explain is the long text about a code, in Markdown, and whether there is such a code. Letter case does not matter.
func Explain(code string) (string, bool) {
	text, err := catalogue.ReadFile(path.Join("codes", strings.ToUpper(code)+".md"))
	return string(text), err == nil
}

// Title is the first line of a code's text, without the code, or "" where there is no such code.
func Title(code string) string {
	text, _ := Explain(code)
	first, _, _ := strings.Cut(text, "\n")
	_, title, _ := strings.Cut(first, ": ")
	return title
}

// Example is one snippet of a code's text.
type Example struct {
	Text  string // empty: the code's text has no such snippet
	Whole bool   // it is a whole file, and not only some of its top-level keys
}

var example = regexp.MustCompile("(?ms)^```yaml (before|bad|good)( whole)?\n(.*?)^```$")

// Examples are the snippet that a code is about and the one that puts it right. What cannot be shown has none.
func Examples(code string) (bad, good Example) { return snippet(code, "bad"), snippet(code, "good") }

// Before is the snippet that the tables come from, where a code is about a change of them.
func Before(code string) Example { return snippet(code, "before") }

func snippet(code, kind string) Example {
	text, _ := Explain(code)
	for _, m := range example.FindAllStringSubmatch(text, -1) {
		if m[1] == kind {
			return Example{Text: m[3], Whole: m[2] != ""}
		}
	}
	return Example{}
}
