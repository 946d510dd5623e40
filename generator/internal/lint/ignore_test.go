package lint_test

import (
	"strings"
	"testing"

	"github.com/retryc/retryc/generator/internal/lint"
	"github.com/retryc/retryc/generator/internal/plan"
	"github.com/retryc/retryc/spec"
	"github.com/retryc/retryc/spec/spectest"
)

// queue is a spec whose queue has lines of its own.
func queue(lines ...string) []byte {
	return spectest.Overlay("queues:\n  thumbnails:\n    payload: {event_id: string}\n    " + strings.Join(lines, "\n    ") + "\n")
}

func TestCommentsTakeWarningsOut(t *testing.T) {
	const lease, broken, unused = "lease: 10ms", "RC361 ", "RC362 "
	for name, tt := range map[string]struct {
		src  []byte
		want []string // the beginnings of what is left
	}{
		"at the end of the line":          {queue(lease + " # retryc:ignore RC322 it is quick"), nil},
		"on the line above":               {queue("# retryc:ignore RC322 it is quick", lease), nil},
		"above other comments":            {queue("# retryc:ignore RC322 it is quick", "", "# Note.", lease), nil},
		"with tabs and no blank":          {queue(lease + "\t#retryc:ignore\tRC322\tit is quick\t"), nil},
		"in braces":                       {spectest.Overlay("queues:\n  thumbnails: {payload: {event_id: string}, # retryc:ignore RC322 quick\n    lease: 10ms}\n"), []string{unused, "RC322 "}},
		"behind another comment":          {queue(lease + " # short # retryc:ignore RC322 quick"), nil},
		"two above each other":            {queue("# retryc:ignore RC322 quick", "# retryc:ignore RC305 quick", lease), []string{unused + "there is no RC305 to ignore on line 12"}},
		"twice for one finding":           {queue("# retryc:ignore RC322 quick", lease+" # retryc:ignore RC322 quick"), []string{unused + "there is no other RC322 to ignore on line 11"}},
		"on the line below":               {queue(lease, "# retryc:ignore RC322 quick", "timeout: 10s"), []string{"RC322 ", unused + "there is no RC322 to ignore on line 12"}},
		"two lines above":                 {queue("# retryc:ignore RC322 quick", "timeout: 10s", lease), []string{unused, "RC322 "}},
		"for another code":                {queue(lease + " # retryc:ignore RC305 quick"), []string{"RC322 ", unused}},
		"without a reason":                {queue(lease + " # retryc:ignore RC322"), []string{"RC322 ", broken + "the comment gives no reason"}},
		"without a code":                  {queue(lease + " # retryc:ignore"), []string{"RC322 ", broken + "the comment does not say what"}},
		"with a word for a code":          {queue(lease + " # retryc:ignore it is quick"), []string{"RC322 ", broken + "there is no finding it"}},
		"in small letters":                {queue(lease + " # retryc:ignore rc322 quick"), []string{"RC322 ", broken + "there is no finding rc322"}},
		"for two codes":                   {queue(lease + " # retryc:ignore RC322, RC305 quick"), []string{"RC322 ", broken + "the comment is for more than one code"}},
		"written otherwise":               {queue(lease + " # retryc: ignore RC322 quick"), []string{"RC322 ", broken + "this is no comment"}},
		"for nothing":                     {queue("lease: 30s # retryc:ignore RC322 quick"), []string{unused + "there is no RC322 to ignore on line 10"}},
		"for comments":                    {queue("# retryc:ignore RC362 it may come back", "lease: 30s # retryc:ignore RC322 quick"), []string{broken, unused}},
		"at the end of the file":          {queue("lease: 30s", "# retryc:ignore RC322 quick"), []string{broken + "no line follows"}},
		"for an error of the format":      {queue("# retryc:ignore RC104 it is seconds", "timeout: 30"), []string{broken + "RC104 is an error here", "RC104 "}},
		"for an error of a rule":          {queue("timeout: 3d # retryc:ignore RC321 it is long"), []string{"RC321 ", broken + "RC321 is an error here"}},
		"unused beside an error":          {queue("lease: 30s # retryc:ignore RC322 quick", "timeout: 30"), []string{"RC104 "}},
		"prose":                           {queue(lease + " # retryc ignores nothing here"), []string{"RC322 "}},
		"text in quotes":                  {spectest.Overlay("error_classes:\n  - name: a\n    outcome: permanent\n    when: [{message: \"x # retryc:ignore RC322 y\"}]\n"), nil},
		"text over lines":                 {spectest.Overlay("error_classes:\n  - name: a\n    outcome: permanent\n    when:\n      - message: |-\n          x\n          # retryc:ignore RC322 y\n"), nil},
		"beside text that looks like one": {spectest.Overlay("error_classes:\n  - name: a\n    outcome: permanent\n    when: [{message: \" # retryc:ignore RC322 y\"}]  # retryc:ignore RC322 y\n"), []string{unused}},
	} {
		t.Run(name, func(t *testing.T) {
			findings := check(tt.src)
			for i, f := range findings {
				text := f.Code + " " + f.Message
				if i >= len(tt.want) || !strings.HasPrefix(text, tt.want[i]) {
					t.Errorf("finding %d at %v is %q, want %q", i, f.Pos, text, tt.want)
				}
				if f.Hint == "" {
					t.Errorf("%q does not say what to do", text)
				}
			}
			if len(findings) < len(tt.want) {
				t.Errorf("%d findings, want %q", len(findings), tt.want)
			}
		})
	}
}

// What is ignored is still known, with the reason.
func TestIgnoredFindingsKeepTheirReason(t *testing.T) {
	doc, findings := spec.Parse("retry.yaml", queue("lease: 10ms # retryc:ignore RC322 it is quick"))
	p, more := plan.New(doc)
	_, warnings := lint.Check(p)
	kept, ignored := lint.Ignore(p, append(append(findings, more...), warnings...))
	if len(kept) != 0 || len(ignored) != 1 || ignored[0].Code != "RC322" || ignored[0].Ignored != "it is quick" {
		t.Errorf("kept %v, ignored %v", kept, ignored)
	}
}
