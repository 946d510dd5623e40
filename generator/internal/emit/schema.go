package emit

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"

	"github.com/retryc/retryc/generator/internal/plan"
)

// schemaHash is over what a payload can hold: names, types, what is required, and the values of enums. Go names and
// the order of fields do not count.
func schemaHash(s *plan.Struct) string {
	sum := sha256.Sum256([]byte(structText(s)))
	return hex.EncodeToString(sum[:6])
}

func structText(s *plan.Struct) string {
	texts := make([]string, len(s.Fields))
	for i, f := range s.Fields {
		texts[i] = fmt.Sprintf("%q %s", f.Name.V, typeText(f.Type))
		if !f.Required() {
			texts[i] += " optional"
		}
	}
	slices.Sort(texts)
	return "{" + strings.Join(texts, ", ") + "}"
}

func typeText(t *plan.Type) string {
	switch t.Kind {
	case plan.Enum:
		values := make([]string, len(t.Values))
		for i, v := range t.Values {
			values[i] = fmt.Sprintf("%q", v.Value.V)
		}
		slices.Sort(values)
		return "enum " + strings.Join(values, " ")
	case plan.List, plan.Map:
		return string(t.Kind) + " of " + typeText(t.Elem)
	case plan.Object:
		return structText(t.Struct)
	}
	return string(t.Kind)
}
