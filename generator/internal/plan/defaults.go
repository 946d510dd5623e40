package plan

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/retryc/retryc/spec"
)

// defaultOf is the default of a field as a value of its type; nil where there is none or a wrong one.
func (b *builder) defaultOf(src spec.Field, t *Type) any {
	at := src.Default
	if !at.Set() {
		return nil
	}
	if src.Optional.V {
		d := errorAt(b, "RC214", at, "the field %q is optional and has a default", src.Name.V)
		d.Hint, d.Related = "leave one of them out: a field with a default may be left out as it is", relatedAt(src.Optional, "optional is here")
		return nil
	}
	if !slices.Contains(defaultKinds, t.Kind) {
		errorAt(b, "RC213", at, "a field of type %s cannot have a default", t.Kind).Hint = "leave the default out, or make the field optional"
		return nil
	}
	value, problem := valueOf(at.V, t)
	if problem != "" {
		errorAt(b, "RC212", at, "the default of the field %q %s", src.Name.V, problem).Hint = defaultHint(at.V, t)
		return nil
	}
	return value
}

var defaultKinds = []Kind{String, Enum, Int, Int64, Float64, Bool, Time, UUID}

// valueOf converts a value of the file, or says what is wrong with it.
func valueOf(v any, t *Type) (any, string) {
	switch t.Kind {
	case Bool:
		if flag, ok := v.(bool); ok {
			return flag, ""
		}
		return nil, "is neither true nor false"
	case Int, Int64:
		n, ok := v.(json.Number)
		whole, err := strconv.ParseInt(n.String(), 10, 64)
		switch {
		case !ok:
			return nil, "is not a number"
		case errors.Is(err, strconv.ErrRange):
			return nil, "does not fit 64 bits"
		case err != nil:
			return nil, "is not written as a whole number"
		case t.Kind == Int && (whole < math.MinInt32 || whole > math.MaxInt32):
			return nil, "does not fit an int of 32 bits"
		}
		return whole, ""
	case Float64:
		n, ok := v.(json.Number)
		f, err := strconv.ParseFloat(n.String(), 64)
		if !ok || err != nil {
			return nil, "is not a number"
		}
		return f, ""
	}
	text, ok := v.(string)
	if !ok {
		return nil, "is not text"
	}
	return text, textProblem(text, t)
}

func textProblem(text string, t *Type) string {
	switch t.Kind {
	case Enum:
		if !slices.ContainsFunc(t.Values, func(v EnumValue) bool { return v.Value.V == text }) {
			return fmt.Sprintf("is %q, which its enum does not have", text)
		}
	case Time:
		if _, err := time.Parse(time.RFC3339Nano, text); err != nil {
			return "is not a time"
		}
	case UUID:
		if !canonicalUUID.MatchString(text) {
			return "is not a UUID"
		}
	case String:
		if t.URI {
			if u, err := url.Parse(text); err != nil || u.Scheme == "" || u.Host == "" && u.Opaque == "" && u.Path == "" {
				return "is not a URI"
			}
		}
	}
	return ""
}

var canonicalUUID = regexp.MustCompile(`^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$`)

func defaultHint(v any, t *Type) string {
	switch t.Kind {
	case Bool:
		return "write true or false, without quotes"
	case Int:
		return "write a whole number without quotes; larger ones need the type int64"
	case Int64:
		return "write a whole number without quotes, point and exponent"
	case Float64:
		return "write a number without quotes"
	case Enum:
		var values []string
		for _, e := range t.Values {
			values = append(values, e.Value.V)
		}
		word, _ := v.(string)
		return didYouMean(word, values, "write one of "+strings.Join(values, ", "))
	case Time:
		return "write it as RFC 3339 has it: \"2026-01-31T09:00:00Z\""
	case UUID:
		return "write it in small letters with hyphens: \"6ba7b810-9dad-11d1-80b4-00c04fd430c8\""
	}
	if t.URI {
		return "write it with its scheme: \"https://example.com/a\""
	}
	return "put it in quotes"
}
