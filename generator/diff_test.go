package generator_test

import (
	"testing"

	"github.com/retryc/retryc/generator"
	"github.com/retryc/retryc/spec/diag"
	"github.com/retryc/retryc/spec/spectest"
)

// Whatever two specs say, one that means the same as itself is compared with the other, there and back.
func TestDiffOfAllExamples(t *testing.T) {
	specs := map[string]string{"base": spectest.Base}
	for _, code := range diag.Codes() {
		bad, good := diag.Examples(code)
		for name, e := range map[string]diag.Example{"bad": bad, "good": good, "before": diag.Before(code)} {
			if e.Text != "" {
				specs[code+" "+name] = string(spectest.Source(e))
			}
		}
	}
	for _, name := range []string{"minimal", "flagship", "classes", "payloads", "brokers", "producers", "mysql"} {
		specs[name] = goldenSpec(t, name)
	}
	flagship, compared := specs["flagship"], 0
	for name, text := range specs {
		same := generator.Diff(generator.Source{Name: name, Text: []byte(text)}, generator.Source{Name: name, Text: []byte(text)})
		if same.Report == nil { // it has an error
			continue
		}
		compared++
		if !same.Report.Same() || len(same.Report.Refused) > 0 {
			t.Errorf("%s differs from itself:\n%s", name, textOf(t, same))
		}
		there, back := diffOf(t, flagship, text), diffOf(t, text, flagship)
		if name != "flagship" && (there.Report.Same() || back.Report.Same()) {
			t.Errorf("%s does not differ from the flagship", name)
		}
		if textOf(t, there) != textOf(t, diffOf(t, flagship, text)) {
			t.Errorf("%s: the same comparison comes out in two ways", name)
		}
	}
	if compared < 50 {
		t.Errorf("only %d specs are compared", compared)
	}
}
