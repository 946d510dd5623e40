package lint

import (
	"slices"
	"strings"

	"github.com/retryc/retryc/generator/internal/plan"
	"github.com/retryc/retryc/spec"
	"github.com/retryc/retryc/spec/diag"
)

// Codes about the comments themselves, which no comment takes out.
const (
	brokenIgnore = "RC361"
	unusedIgnore = "RC362"
)

// Ignore takes out the warnings of all stages for which a comment gives a reason, and says which comments do not do their work.
func Ignore(p *plan.Plan, findings diag.List) (kept, ignored diag.List) {
	at := map[int][]int{} // the findings of each line
	for i, f := range findings {
		at[f.Pos.Line] = append(at[f.Pos.Line], i)
	}
	var own diag.List
	for _, ig := range p.Spec.Ignores {
		if d := misread(&own, ig); d != nil {
			continue
		}
		used, refused, other := false, false, ""
		for _, i := range at[ig.Line] {
			f := &findings[i]
			switch {
			case f.Code != ig.Code.V:
			case f.Severity == diag.Error:
				refused = true
			case f.Ignored != "": // by a comment above
				other = "other "
			default:
				f.Ignored, used = ig.Reason, true
			}
		}
		switch {
		case refused:
			broken(&own, ig, "%s is an error here, which cannot be ignored", ig.Code.V).Hint = "put right what it says, and take the comment out"
		case !used && !findings.HasErrors(): // with errors, not everything is looked at
			d := own.Warnf(unusedIgnore, ig.Pos, ig.Width, "there is no %s%s to ignore on line %d", other, ig.Code.V, ig.Line)
			d.Hint = "take the comment out, or put it at the end of the line that the finding names, or alone on the line above"
		}
	}
	for _, f := range findings {
		if f.Ignored == "" {
			kept = append(kept, f)
		} else {
			ignored = append(ignored, f)
		}
	}
	kept = append(kept, own...)
	kept.Sort()
	return kept, ignored
}

// misread refuses a comment that does not say what to ignore, or not why.
func misread(list *diag.List, ig spec.Ignore) *diag.Diagnostic {
	var d *diag.Diagnostic
	code := strings.TrimRight(ig.Code.V, ",")
	hint := "write # retryc:ignore " + exampleCode(code) + " and the reason"
	switch {
	case !ig.Form:
		d = broken(list, ig, "this is no comment that ignores a finding: it is written retryc:ignore")
	case !ig.Code.Set():
		d = broken(list, ig, "the comment does not say what to ignore")
	case code != ig.Code.V:
		d, hint = broken(list, ig, "the comment is for more than one code"), "give each code a comment with a reason of its own, above each other"
	case !slices.Contains(diag.Codes(), code):
		d = broken(list, ig, "there is no finding %s", code)
		if near := diag.Nearest(code, diag.Codes()); near != "" {
			hint = "did you mean " + near + "?"
		}
	case code == brokenIgnore, code == unusedIgnore:
		d, hint = broken(list, ig, "%s is about these comments, and none takes it out", code), "put right what it says"
	case ig.Reason == "":
		d, hint = broken(list, ig, "the comment gives no reason"), "write why "+code+" is right here, behind the code"
	case ig.Line == 0:
		d, hint = broken(list, ig, "no line follows that the comment is for"), "put it at the end of the line that the finding names, or alone on the line above"
	}
	if d != nil && d.Hint == "" {
		d.Hint = hint
	}
	return d
}

func broken(list *diag.List, ig spec.Ignore, format string, args ...any) *diag.Diagnostic {
	return list.Errorf(brokenIgnore, ig.Pos, ig.Width, format, args...)
}

// exampleCode is the code that a comment was meant for, as far as it can be told.
func exampleCode(code string) string {
	if upper := strings.ToUpper(code); slices.Contains(diag.Codes(), upper) {
		return upper
	}
	return "RC305"
}
