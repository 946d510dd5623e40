package resolved

import (
	"bytes"
	"encoding/json"
	"regexp"
)

// Encode is the JSON of the policy, the same bytes for the same policy.
func (p *Policy) Encode() []byte {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(p); err != nil {
		panic(err) // it is made of texts, numbers and truth values
	}
	return spread.ReplaceAll(b.Bytes(), []byte(`{"ms": $1, "text": $2}`))
}

// spread is a duration on four lines, which is easier to read on one.
var spread = regexp.MustCompile(`\{\s+"ms": ([0-9]+),\s+"text": ("[^"]*")\s+\}`)
