package spec

import (
	"regexp"
	"slices"
	"strings"

	"gopkg.in/yaml.v3"

	"github.com/retryc/retryc/spec/diag"
)

// maxDepth bounds nesting. The deepest spec that makes sense has about a dozen levels.
const maxDepth = 32

// walk turns the document's nodes into values and refuses the parts of YAML that read differently than they look.
func (p *parser) walk(root *yaml.Node) *value {
	if root.ShortTag() == "!!null" {
		p.empty()
		return nil
	}
	v := p.value(root, Name{}, false, 1)
	if v.trapped {
		return nil
	}
	if v.kind == mapping {
		return v
	}
	p.error("RC016", v.pos, v.width, "start with: version: 1", "the file holds %s at its top level, where keys are expected", v.kind)
	return nil
}

// value is one node. A trapped one has no content, and keeps its place so that nobody calls it missing.
func (p *parser) value(n *yaml.Node, key Name, entry bool, depth int) *value {
	v := &value{pos: p.at(n.Line, n.Column), width: 1, key: key, entry: entry}
	if n.Anchor != "" {
		p.error("RC009", v.pos, 1+runes(n.Anchor), "write the value out where it is needed", "an anchor, &%s, which a spec may not have", n.Anchor)
	}
	switch {
	case n.Kind == yaml.AliasNode:
		v.trapped = true
		p.error("RC009", v.pos, 1+runes(n.Value), `write the value out, or put it in quotes where text is meant: "*`+n.Value+`"`,
			"an alias, *%s, which a spec may not have", n.Value)
		return v
	case n.Style&yaml.TaggedStyle != 0:
		v.trapped = true
		p.error("RC010", v.pos, runes(n.Tag), "take it out; put text in quotes", "a tag, %s, which a spec may not have", n.Tag)
		return v
	case depth > maxDepth:
		v.trapped = true
		p.error("RC014", v.pos, 1, "flatten the payload, or give this field the type json", "nested deeper than %d levels", maxDepth)
		return v
	}
	switch n.Kind {
	case yaml.SequenceNode:
		v.kind, v.block = list, n.Style&yaml.FlowStyle == 0
		for _, c := range n.Content {
			v.entries = append(v.entries, p.value(c, key, true, depth+1))
		}
	case yaml.MappingNode:
		v.kind, v.block = mapping, n.Style&yaml.FlowStyle == 0
		p.members(v, n, depth)
	default:
		p.scalar(v, n)
	}
	return v
}

func (p *parser) members(v *value, n *yaml.Node, depth int) {
	seen := map[string]Name{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, ok := p.key(n.Content[i])
		if !ok {
			continue
		}
		val := p.value(n.Content[i+1], key, false, depth+1)
		if first, twice := seen[key.V]; twice {
			p.error("RC008", key.Pos, key.Width, "keep one of the two, or rename it", "%s is written twice", key.V).Related =
				&diag.Related{Pos: first.Pos, Width: first.Width, Message: "first written here"}
			continue
		}
		seen[key.V] = key
		v.members = append(v.members, member{key, val})
	}
	// Of {{ name }} nothing is left, and it was not meant as a mapping.
	v.trapped = len(v.members) == 0 && len(n.Content) > 0
}

// key reads the key of a member. Any scalar is taken as the text that it is, so that a tier may be called 1 or yes.
func (p *parser) key(n *yaml.Node) (Name, bool) {
	key := Name{V: n.Value, Pos: p.at(n.Line, n.Column), Width: 1}
	switch {
	case n.Kind == yaml.AliasNode, n.Anchor != "":
		p.error("RC009", key.Pos, 1+runes(n.Value), "write the key out", "an anchor or an alias as a key, which a spec may not have")
		return key, false
	case n.Style&yaml.TaggedStyle != 0:
		p.error("RC010", key.Pos, runes(n.Tag), "take it out", "a tag, %s, which a spec may not have", n.Tag)
		return key, false
	case n.Kind != yaml.ScalarNode:
		p.error("RC018", key.Pos, 1, "write a name; text with braces, as of a template, belongs in quotes", "a list or a mapping stands where a key is expected")
		return key, false
	case n.Tag == "!!merge":
		p.error("RC009", key.Pos, 2, "write the keys out", "a merge key, <<, which a spec may not have")
		return key, false
	case strings.TrimSpace(n.Value) == "":
		p.error("RC018", key.Pos, 1, "write a name in front of the colon", "a key without a name")
		return key, false
	}
	key.Width = p.width(n, key.Pos)
	return key, true
}

func (p *parser) scalar(v *value, n *yaml.Node) {
	v.text = n.Value
	v.plain = n.Style == 0
	v.width = p.width(n, v.pos)
	switch n.Tag {
	case "!!null":
		v.trapped = true
		if n.Anchor != "" { // which has been refused
			return
		}
		pos, width := v.sign()
		if glued := gluedKey.FindStringSubmatch(v.key.V); glued != nil && !v.entry {
			p.error("RC013", pos, width, "write "+glued[1]+": "+glued[2], "%s has no value: a key ends in a colon and a space", v.label())
			return
		}
		p.error("RC013", pos, width, "give it a value, or take it out; {} is an empty mapping and [] an empty list", "%s has no value", v.label())
	case "!!int", "!!float":
		v.kind = number
		p.number(v)
	case "!!bool":
		v.kind = boolean
		if v.text != "true" && v.text != "false" {
			v.trapped = true
			p.error("RC012", v.pos, v.width, "write "+strings.ToLower(v.text)+", or put it in quotes where text is meant",
				"%s is not how a spec writes a truth value", v.text)
		}
	default: // text, and what YAML takes for a date
		v.kind = text
	}
}

// gluedKey is a key and its value that braces have made one key: in {a:b} and in {a b} there is no colon with a space.
var gluedKey = regexp.MustCompile(`^([A-Za-z0-9_-]+)[: ] *([^\s:].*)$`)

// width is how many runes a scalar takes on its first line.
func (p *parser) width(n *yaml.Node, pos diag.Pos) int {
	line := p.runes[pos.Line-1]
	rest := line[min(pos.Col-1, len(line)):]
	switch {
	case n.Style&(yaml.LiteralStyle|yaml.FoldedStyle) != 0:
		return 1
	case n.Style&yaml.DoubleQuotedStyle != 0:
		return quoted(rest, '"', '\\')
	case n.Style&yaml.SingleQuotedStyle != 0:
		return quoted(rest, '\'', '\'')
	}
	if plain := []rune(n.Value); len(plain) <= len(rest) && slices.Equal(plain, rest[:len(plain)]) {
		return max(len(plain), 1)
	}
	return max(runes(strings.TrimRight(string(rest), " \t")), 1)
}

// quoted is the length of the quoted text that rs begins with, or of rs where the text goes on in the next line.
func quoted(rs []rune, quote, escape rune) int {
	for i := 1; i < len(rs); i++ {
		switch {
		case rs[i] == escape && i+1 < len(rs) && (escape != quote || rs[i+1] == quote):
			i++
		case rs[i] == quote:
			return i + 1
		}
	}
	return max(len(rs), 1)
}
