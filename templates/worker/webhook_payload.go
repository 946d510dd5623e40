//retryc:when webhook

package worker

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"unicode/utf8"
)

// webhookField is a field of the payload, and where it is in a delivery: in a header, or in the body at path. The whole body
// is at an empty one.
type webhookField struct {
	name     string
	header   string
	path     []string
	takes    jsonKind
	required bool
}

// webhookMisfit is a delivery of another form than the webhook's.
type webhookMisfit struct{ text string }

func (e *webhookMisfit) Error() string { return e.text }

func misfitf(format string, args ...any) error { return &webhookMisfit{fmt.Sprintf(format, args...)} }

// object is the payload of a delivery, as JSON.
func (t *webhookTable) object(header http.Header, root *jsonValue) ([]byte, error) {
	object := map[string]json.RawMessage{}
	for _, f := range t.fields {
		value, err := f.value(header, root)
		switch {
		case err != nil:
			return nil, err
		case value != nil:
			object[f.name] = value
		case f.required:
			return nil, misfitf("%s is not there, and %s is made of it", f.place(), f.name)
		}
	}
	return json.Marshal(object)
}

// value is the field's in a delivery, or nil where that has none. A null counts as none, unless the field takes anything.
func (f *webhookField) value(header http.Header, root *jsonValue) (json.RawMessage, error) {
	if f.header != "" {
		return f.text(header.Values(f.header))
	}
	v := root.at(f.path)
	switch {
	case v == nil || v.kind == nullJSON && f.takes != anyJSON:
		return nil, nil
	case f.takes != anyJSON && v.kind != f.takes:
		return nil, misfitf("%s is %s, and has to be %s", f.place(), v.kind, f.takes)
	}
	return v.raw, nil
}

func (f *webhookField) text(values []string) (json.RawMessage, error) {
	switch {
	case len(values) > 1:
		return nil, misfitf("%s is there %d times", f.place(), len(values))
	case len(values) == 0 || values[0] == "":
		return nil, nil
	case !utf8.ValidString(values[0]):
		return nil, misfitf("%s is not valid UTF-8", f.place())
	}
	return json.Marshal(values[0])
}

// place is where the field is, in words.
func (f *webhookField) place() string {
	switch {
	case f.header != "":
		return "the header " + f.header
	case len(f.path) == 0:
		return "the body"
	}
	return strings.Join(f.path, ".")
}
