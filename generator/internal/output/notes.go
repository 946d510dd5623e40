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

// Field says whether a payload has to have a field, and of what type it is: required string, optional enum EUR USD.
type Field string

// The two kinds of fields. One with a default is optional.
const (
	Required Field = "required"
	Optional Field = "optional"
)

// Of is such a field of a type.
func (f Field) Of(fieldType string) Field { return f + " " + Field(fieldType) }

// takenApart is the kind of a field, and its type; "" where none was recorded.
func (f Field) takenApart() (kind Field, fieldType string) {
	before, after, _ := strings.Cut(string(f), " ")
	return Field(before), after
}

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

// Notes are those of a change from the one record of queues to the other.
func Notes(old, next map[string]Queue) []string { return notes(old, next) }

// Incompatible reports whether the payload of a queue that stays has changed so that jobs enqueued before no longer fit.
func Incompatible(old, next map[string]Queue) bool {
	for name, was := range old {
		if is, there := next[name]; there && len(fieldNotes(name, was.Payload, is.Payload)) > 0 {
			return true
		}
	}
	return false
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
		kind, fieldType := is[field].takenApart()
		kindBefore, typeBefore := was[field].takenApart()
		if lost := narrowed(typeBefore, fieldType); lost != "" {
			out = append(out, fmt.Sprintf("the field %s of %s %s: jobs enqueued before that no longer fit are put back and then dead; "+
				"keep what was there until they are done", field, queue, lost))
		}
		if kind != Required || kindBefore == Required || nested && was[in] == "" {
			continue
		}
		what, lack := "new and required", "lack it"
		if kindBefore == Optional {
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

// wider are the types that hold all that another does.
var wider = map[string][]string{
	"int": {"int64", "float64", "json"}, "int64": {"int", "json"}, "float64": {"json"}, "bool": {"json"}, "string": {"json"},
	"uuid": {"string", "json"}, "time": {"string", "json"}, "bytes": {"string", "json"}, "enum": {"string", "json"},
	"list": {"json"}, "map": {"json"}, "object": {"json"},
}

// narrowed says what a type no longer takes that the one before took; "" where it takes all of it, or nothing is known.
func narrowed(before, after string) string {
	if before == "" || after == "" || before == after {
		return ""
	}
	was, is := strings.Fields(before), strings.Fields(after)
	if was[0] == "enum" && is[0] == "enum" {
		gone := slices.DeleteFunc(was[1:], func(value string) bool { return slices.Contains(is[1:], value) })
		if len(gone) == 0 {
			return ""
		}
		return "cannot be " + strings.Join(gone, ", ") + " any more"
	}
	if was[0] == is[0] || slices.Contains(wider[was[0]], is[0]) {
		return ""
	}
	return "was of type " + was[0] + " and is of type " + is[0]
}
