//retryc:when webhook

package worker

import (
	"bytes"
	"encoding/json"
	"strconv"
	"strings"
	"unicode/utf8"
)

// jsonKind is what a JSON value is, in words.
type jsonKind string

const (
	anyJSON    jsonKind = ""
	nullJSON   jsonKind = "null"
	textJSON   jsonKind = "a text"
	numberJSON jsonKind = "a number"
	boolJSON   jsonKind = "true or false"
	listJSON   jsonKind = "a list"
	objectJSON jsonKind = "an object"
)

// jsonValue is a value of a body.
type jsonValue struct {
	kind    jsonKind
	raw     json.RawMessage
	members map[string]*jsonValue
	items   []*jsonValue
}

// at is the value at the keys and numbers of path, or nil.
func (v *jsonValue) at(path []string) *jsonValue {
	for _, step := range path {
		switch v.kind {
		case objectJSON:
			v = v.members[step]
		case listJSON:
			i, err := strconv.Atoi(step)
			if err != nil || i < 0 || i >= len(v.items) {
				return nil
			}
			v = v.items[i]
		default:
			return nil
		}
		if v == nil {
			return nil
		}
	}
	return v
}

// deepestJSON bounds how deep the values of a body are in each other.
const deepestJSON = 200

// parseBody reads a body of JSON. What two readers could take for two different things is refused: it may not be what its sender
// meant to sign.
func parseBody(body []byte) (*jsonValue, error) {
	switch {
	case !utf8.Valid(body):
		return nil, misfitf("the body is not valid UTF-8")
	case !json.Valid(body):
		return nil, misfitf("the body is not JSON")
	}
	d := json.NewDecoder(bytes.NewReader(body))
	d.UseNumber()
	return (&bodyParser{d, body}).value(deepestJSON)
}

type bodyParser struct {
	*json.Decoder
	body []byte
}

func (p *bodyParser) value(depth int) (*jsonValue, error) {
	if depth == 0 {
		return nil, misfitf("the body is nested too deep")
	}
	before := p.InputOffset()
	token, err := p.Token()
	if err != nil {
		return nil, err
	}
	v := &jsonValue{}
	switch token := token.(type) {
	case nil:
		v.kind = nullJSON
	case bool:
		v.kind = boolJSON
	case json.Number:
		v.kind = numberJSON
	case string:
		v.kind = textJSON
	case json.Delim:
		err = p.inner(v, token, depth-1)
	}
	v.raw = bytes.TrimLeft(p.body[before:p.InputOffset()], " \t\r\n,:")
	if text, is := token.(string); is && mangled(text, v.raw) {
		err = misfitf("the body has a text that is not valid Unicode")
	}
	return v, err
}

// inner reads what is in an object or a list.
func (p *bodyParser) inner(v *jsonValue, open json.Delim, depth int) error {
	v.kind = listJSON
	if open == '{' {
		v.kind, v.members = objectJSON, map[string]*jsonValue{}
	}
	for p.More() {
		inner, err := p.value(depth)
		if err != nil {
			return err
		}
		if v.kind == listJSON {
			v.items = append(v.items, inner)
			continue
		}
		var key string
		if err := json.Unmarshal(inner.raw, &key); err != nil {
			return err
		}
		if v.members[key] != nil {
			return misfitf("the body has the key %.40q twice in one object", key)
		}
		if v.members[key], err = p.value(depth); err != nil {
			return err
		}
	}
	_, err := p.Token() // which closes it
	return err
}

// mangled reports whether a text lost something when it was decoded: the escape of half a character becomes U+FFFD, so that two
// texts would be one.
func mangled(text string, raw []byte) bool {
	return strings.ContainsRune(text, utf8.RuneError) && !bytes.ContainsRune(raw, utf8.RuneError) && !bytes.Contains(bytes.ToLower(raw), []byte(`\ufffd`))
}
