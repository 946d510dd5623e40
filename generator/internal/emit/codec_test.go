package emit

import "testing"

func TestObjectIsLookedAtAgainOnlyWhereARequiredFieldIsEmpty(t *testing.T) {
	wantIn(t, payloadOf(t, "a: int, b: bool, c: time, d: bytes, e: uuid, f: {type: int, optional: true}"),
		`if p.A == 0 || !p.B || p.C.IsZero() || p.D == nil || p.E == "" { // perhaps one of them is not there `+
			`if err := requireFields(raw, "a", "b", "c", "d", "e"); err != nil { return err } }`)
	for _, untold := range []string{"a: {type: object, fields: {f: {type: int, optional: true}}}", "a: json"} {
		wantIn(t, payloadOf(t, untold), `if err := requireFields(raw, "a"); err != nil { return err } type plain Q`)
	}
}
