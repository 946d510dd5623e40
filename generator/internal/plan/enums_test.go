package plan_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/retryc/retryc/spec/spectest"
)

// Values come from messages of other systems: they cannot be renamed, so every list of different ones is fine.
func TestEnumValuesThatWouldBecomeOneNameAreSpelledOut(t *testing.T) {
	for values, want := range map[string][]string{
		`[tiny, "2"]`:              {"DocFTiny", "DocF2"},
		`["A+", "A", "A-"]`:        {"DocFAU002B", "DocFA", "DocFAU002D"},
		`[ab, AB, Ab, x]`:          {"DocFab", "DocFAB", "DocFAb", "DocFX"},
		`["<", ">", "", " "]`:      {"DocFU003C", "DocFU003E", "DocFEmpty", "DocFU0020"},
		`[a-b, a_b, "a b"]`:        {"DocFaU002Db", "DocFaU005Fb", "DocFaU0020b"},
		`["\U0001F389", "\u00e9"]`: {"DocFU1F389", "DocF\u00c9"},
	} {
		p := mustPlan(t, string(spectest.Overlay("queues: {doc: {payload: {f: {type: string, enum: "+values+"}}}}\n")))
		var got []string
		for _, v := range p.Queues[0].Payload.Fields[0].Type.Values {
			got = append(got, v.GoName)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: %s", values, diff)
		}
	}
}
