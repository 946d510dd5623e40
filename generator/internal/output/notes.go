package output

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Queue is what the jobs that wait in a queue depend on. It is recorded, so that a change of it can be told.
type Queue struct {
	Key     []string         `json:"key,omitempty"`     // fields of the idempotency key, in order
	Payload map[string]Field `json:"payload,omitempty"` // by path: document, document.pages, lines[].amount
}

// Field says whether a payload has to have a field.
type Field string

// The two kinds of fields. One with a default is optional.
const (
	Required Field = "required"
	Optional Field = "optional"
)

func (q Queue) equal(r Queue) bool {
	return slices.Equal(q.Key, r.Key) && maps.Equal(q.Payload, r.Payload)
}

// notes say what a change of the queues means for the jobs that are enqueued already. Both sides are silent where
// nothing was recorded yet.
func notes(old, next map[string]Queue) (out []string) {
	for _, name := range slices.Sorted(maps.Keys(old)) {
		was := old[name]
		is, there := next[name]
		if !there {
			note := fmt.Sprintf("the queue %s is gone: jobs that are still in it will not run", name)
			if len(was.Key) > 0 {
				note += ", and its keys are not those of a queue with another name"
			}
			out = append(out, note)
			continue
		}
		if !slices.Equal(was.Key, is.Key) {
			out = append(out, fmt.Sprintf("the key of %s changed: an event that was enqueued before is a new job now", name))
		}
		out = append(out, fieldNotes(name, was.Payload, is.Payload)...)
	}
	return out
}

// fieldNotes look at the payloads of one queue. A field within one that is told already is not told again.
func fieldNotes(queue string, was, is map[string]Field) (out []string) {
	for _, field := range slices.Sorted(maps.Keys(was)) {
		if in, nested := enclosing(field); is[field] == "" && (!nested || is[in] != "") {
			out = append(out, fmt.Sprintf("the field %s of %s is gone: jobs enqueued before that have it are put back and then dead; "+
				"keep it, optional, until they are done", field, queue))
		}
	}
	for _, field := range slices.Sorted(maps.Keys(is)) {
		in, nested := enclosing(field)
		if is[field] != Required || was[field] == Required || nested && was[in] == "" {
			continue
		}
		what, lack := "new and required", "lack it"
		if was[field] == Optional {
			what, lack = "required now", "may lack it"
		}
		out = append(out, fmt.Sprintf("the field %s of %s is %s: jobs enqueued before %s, and are put back and then dead; "+
			"make it optional or give it a default", field, queue, what, lack))
	}
	return out
}

// enclosing is the field that holds another: lines for lines[].amount.
func enclosing(field string) (string, bool) {
	i := strings.LastIndexByte(field, '.')
	if i < 0 {
		return "", false
	}
	return strings.TrimRight(field[:i], "[]"), true
}
