package compare

import (
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/retryc/retryc/generator/internal/resolved"
)

// setting is one value of a policy, by its path.
type setting struct{ path, text string }

// settings compares what is said for all queues. Whatever the format will say of a policy some day is compared too.
func (c *comparison) settings() {
	old, now := *c.old, *c.now
	old.Queues, now.Queues = nil, nil
	c.report.Settings = append(c.report.Settings, differing(flat(&old), flat(&now))...)
	if was, is := order(&old, &now), order(&now, &old); !slices.Equal(was, is) {
		c.report.Settings = append(c.report.Settings, Setting{"error_classes, of which the first that matches wins", strings.Join(was, ", "), strings.Join(is, ", ")})
	}
}

// order is that of the classes that both have.
func order(p, other *resolved.Policy) (names []string) {
	for _, cl := range p.Classes {
		if slices.ContainsFunc(other.Classes, func(o resolved.Class) bool { return o.Name == cl.Name }) {
			names = append(names, cl.Name)
		}
	}
	return names
}

// queueSettings compares what is said of a queue but for what it means for jobs. A queue that is new was nil.
func queueSettings(was, is *resolved.Queue) []Setting {
	now := *is
	now.Tiers = nil
	var before []setting
	if was != nil {
		old := *was
		old.Tiers = nil
		if reflect.DeepEqual(old, now) {
			return []Setting{}
		}
		before = flat(&old)
	}
	return differing(before, flat(&now))
}

// differing are the paths at which the values differ, in the order of the form. An entry of a list that one of them has not
// is told in one.
func differing(before, after []setting) []Setting {
	old, now := byPath(before), byPath(after)
	out := []Setting{}
	for _, s := range before {
		if text, there := now[s.path]; text != s.text && !(there && s.text == entry) {
			out = append(out, Setting{s.path, s.text, text})
		}
	}
	for _, s := range after {
		if _, there := old[s.path]; !there && s.text != "" && s.text != "false" {
			out = append(out, Setting{s.path, "", s.text})
		}
	}
	return folded(out)
}

func byPath(list []setting) map[string]string {
	all := make(map[string]string, len(list))
	for _, s := range list {
		all[s.path] = s.text
	}
	return all
}

// entry is the text of an entry of a list: it is there.
const entry = "\x00"

// folded joins what is said of an entry that is new or gone with the entry itself.
func folded(all []Setting) []Setting {
	out := all[:0:0]
	for i := 0; i < len(all); i++ {
		s := all[i]
		text := &s.After
		if s.Before == entry {
			text = &s.Before
		}
		if *text != entry {
			out = append(out, s)
			continue
		}
		var parts []string
		for ; i+1 < len(all) && strings.HasPrefix(all[i+1].Path, s.Path+"."); i++ {
			inner := all[i+1]
			value, name := inner.Before+inner.After, strings.TrimPrefix(inner.Path, s.Path+".")
			if value != "" && value != entry && value != "false" && !strings.HasSuffix(name, "go_name") {
				parts = append(parts, name+": "+value)
			}
		}
		*text = strings.Join(parts, "; ")
		if *text == "" {
			*text = "there"
		}
		out = append(out, s)
	}
	return out
}

// flat are the values below v, a pointer to a struct of package resolved, by the names of its JSON. What has a name in a list
// is found by it.
func flat(v any) []setting {
	var out []setting
	flatten(reflect.ValueOf(v).Elem(), "", true, &out)
	return out
}

// flatten adds the values below v. What has a key is an entry of a list, which is found by it.
func flatten(v reflect.Value, path string, keyed bool, out *[]setting) {
	if text, leaf := leafText(v); leaf {
		*out = append(*out, setting{path, text})
		return
	}
	switch v.Kind() {
	case reflect.Pointer, reflect.Interface:
		if !v.IsNil() {
			flatten(v.Elem(), path, false, out)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			f := v.Type().Field(i)
			name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
			switch {
			case f.Anonymous:
				flatten(v.Field(i), path, keyed, out)
			case !keyed || !keys[name] || path == "" && name == "tier": // of a queue that is the name of a field
				flatten(v.Field(i), join(path, name), false, out)
			}
		}
	case reflect.Map:
		names := v.MapKeys()
		slices.SortFunc(names, func(a, b reflect.Value) int { return strings.Compare(a.String(), b.String()) })
		for _, name := range names {
			*out = append(*out, setting{join(path, name.String()), percent(v.MapIndex(name).Float())})
		}
	case reflect.Slice:
		times := map[string]int{}
		for i := range v.Len() {
			name := keyIn(v.Index(i))
			times[name]++
			if n := times[name]; n > 1 {
				name += fmt.Sprintf(" (%d)", n)
			}
			*out = append(*out, setting{join(path, name), entry})
			flatten(v.Index(i), join(path, name), true, out)
		}
	}
}

// keys are the members that say which entry of a list one is.
var keys = map[string]bool{"name": true, "tier": true}

func keyIn(v reflect.Value) string {
	for _, field := range []string{"Name", "Tier"} {
		if f := v.FieldByName(field); f.IsValid() {
			return f.String()
		}
	}
	return ""
}

func join(path, name string) string {
	if path == "" {
		return name
	}
	return path + "." + name
}

// leafText is the text of what is compared as a whole.
func leafText(v reflect.Value) (string, bool) {
	switch x := v.Interface().(type) {
	case resolved.Duration:
		return x.String(), true
	case []resolved.Duration:
		return joined(x, resolved.Duration.String), true
	case []string:
		return strings.Join(x, ", "), true
	case []resolved.Condition:
		return joined(x, conditionText), true
	case []resolved.Span: // follows from the rungs, the jitter and caps.delay
		return "", true
	case resolved.Jitter:
		return jitterText(x), true
	}
	switch v.Kind() {
	case reflect.String:
		return oneLine(v.String()), true
	case reflect.Int, reflect.Int64:
		return strconv.FormatInt(v.Int(), 10), true
	case reflect.Float64:
		return strconv.FormatFloat(v.Float(), 'f', -1, 64), true
	case reflect.Bool:
		return strconv.FormatBool(v.Bool()), true
	}
	return "", false
}

// oneLine is a text as it stands, or in quotes where it has what no line has.
func oneLine(s string) string {
	if strings.ContainsFunc(s, unicode.IsControl) {
		return strconv.Quote(s)
	}
	return s
}

func joined[T any](list []T, text func(T) string) string {
	var parts []string
	for _, x := range list {
		parts = append(parts, text(x))
	}
	return strings.Join(parts, ", ")
}

func conditionText(w resolved.Condition) string {
	switch {
	case len(w.HTTP) > 0:
		return "HTTP " + strings.Join(w.HTTP, " ")
	case w.Is != "":
		return w.Is
	case w.As != "":
		return "any " + w.As
	case len(w.SQLState) > 0:
		return "SQLSTATE " + strings.Join(w.SQLState, " ")
	case w.Event != "":
		return eventsInWords[w.Event]
	}
	return strconv.Quote(w.Message)
}

func jitterText(j resolved.Jitter) string {
	switch {
	case j.Min == 1 && j.Max == 1:
		return "none"
	case j.Min+j.Max == 2:
		return "±" + percent(1-j.Min)
	}
	return fmt.Sprintf("%s to %s", percent(j.Min), percent(j.Max))
}
