package spec

import "github.com/retryc/retryc/spec/diag"

// kind is what a value is in YAML, in the words of someone who writes it.
type kind int

const (
	null kind = iota
	text
	number
	boolean
	list
	mapping
)

func (k kind) String() string {
	return [...]string{"nothing", "text", "a number", "true or false", "a list", "a mapping"}[k]
}

// value is one value of the file after the walk: no anchors, no tags, no repeated keys, and every one with its place.
type value struct {
	kind    kind
	text    string // of a scalar, as it is read
	plain   bool   // a scalar without quotes
	block   bool   // a list or a mapping that is spread over lines
	pos     diag.Pos
	width   int
	key     Name // the key under which it stands; for an entry of a list, the key of the list
	entry   bool // it is an entry of a list
	members []member
	entries []*value

	trapped bool // the walk refused it: what the schema makes of it says nothing new
	bad     bool // the schema refused it: it is not read

	forbidden bool // its key cannot stand here
}

// member is one key of a mapping and its value.
type member struct {
	key Name
	val *value
}

// get finds the value of a key, or nil. It is nil-safe, so that a missing section reads as one with no keys.
func (v *value) get(key string) *value {
	if v == nil || v.kind != mapping {
		return nil
	}
	for _, m := range v.members {
		if m.key.V == key {
			return m.val
		}
	}
	return nil
}

// sign is where a finding about v as a whole points: at v, or at its key where v is spread over lines or is not there.
func (v *value) sign() (diag.Pos, int) {
	if (v.block || v.kind == null) && !v.entry && v.key.Set() {
		return v.key.Pos, v.key.Width
	}
	return v.pos, v.width
}

// label names v in a message.
func (v *value) label() string {
	switch {
	case !v.key.Set():
		return "the file"
	case v.entry:
		return "an entry of " + v.key.V
	}
	return v.key.V
}

// holder names the mapping v in a message about one of its keys.
func (v *value) holder() string {
	switch {
	case !v.key.Set():
		return "at the top level"
	case v.entry:
		return "in an entry of " + v.key.V
	}
	return "in " + v.key.V
}
