//retryc:when required

package worker

import "encoding/json"

// requireFields checks that the object raw has every one of names, and none of them null.
func requireFields(raw []byte, names ...string) error {
	var object map[string]json.RawMessage
	if err := json.Unmarshal(raw, &object); err != nil {
		return err
	}
	var b breaches
	for _, n := range names {
		if v, there := object[n]; !there {
			b.add(n, "is missing")
		} else if string(v) == "null" {
			b.add(n, "is null")
		}
	}
	return b.err()
}
