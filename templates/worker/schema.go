package worker

import "encoding/json"

// covers reports whether p holds all that raw says. A payload with a field that this program does not know must not run
// here: what the field asks for would be ignored.
func covers[P any](p P, raw []byte) bool {
	known, err := json.Marshal(p)
	if err != nil {
		return false
	}
	var have, want any
	if json.Unmarshal(known, &have) != nil || json.Unmarshal(raw, &want) != nil {
		return false
	}
	return coversValue(have, want)
}

func coversValue(have, want any) bool {
	switch want := want.(type) {
	case nil:
		return true
	case map[string]any:
		have, ok := have.(map[string]any)
		for k, v := range want {
			ok = ok && (v == nil || coversValue(have[k], v))
		}
		return ok
	case []any:
		have, ok := have.([]any)
		ok = ok && len(have) == len(want)
		for i := 0; ok && i < len(want); i++ {
			ok = coversValue(have[i], want[i])
		}
		return ok
	}
	return have != nil
}
