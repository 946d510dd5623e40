package generator

import (
	"strconv"
	"strings"

	"github.com/retryc/retryc/generator/internal/output"
	"github.com/retryc/retryc/generator/internal/plan"
)

// queuesOf is what output records of the queues of p.
func queuesOf(p *plan.Plan) map[string]output.Queue {
	queues := map[string]output.Queue{}
	for _, q := range p.Queues {
		recorded := output.Queue{Payload: map[string]output.Field{}}
		for _, f := range q.Key {
			recorded.Key = append(recorded.Key, f.Name.V)
		}
		addFields(recorded.Payload, "", q.Payload)
		queues[q.Name.V] = recorded
	}
	return queues
}

// addFields adds the fields of s, each named by its path. What a list or a map holds is named path[].
func addFields(to map[string]output.Field, in string, s *plan.Struct) {
	for _, f := range s.Fields {
		path := in + f.Name.V
		kind := output.Optional
		if f.Required() {
			kind = output.Required
		}
		to[path] = kind.Of(typeText(f.Type))
		held := f.Type
		for held.Elem != nil {
			held, path = held.Elem, path+"[]"
		}
		if held.Struct != nil {
			addFields(to, path+".", held.Struct)
		}
	}
}

// typeText is the kind of a type, and the values of an enum as JSON texts, so that one with a blank is one word.
func typeText(t *plan.Type) string {
	text := string(t.Kind)
	for _, v := range t.Values {
		text += " " + strings.ReplaceAll(strconv.Quote(v.Value.V), " ", `\u0020`)
	}
	return text
}
