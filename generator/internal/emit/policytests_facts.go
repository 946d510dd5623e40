package emit

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"strings"
	"time"

	"github.com/retryc/retryc/generator/internal/plan"
)

// keyCases makes a row for each queue with a key:
//
//	{&weeklyDigestQueue, WeeklyDigest{CustomerID: "customer_id-1", Week: "week-1"}.facts(), `["customer_id-1","week-1"]`, "0b5c…"},
func keyCases(s *goText, p *plan.Plan) []string {
	var cases []string
	for _, q := range p.Queues {
		if len(q.Key) == 0 {
			continue
		}
		var texts []string
		for _, f := range q.Key {
			texts = append(texts, valueOf(s, f).json)
		}
		key := "[" + strings.Join(texts, ",") + "]"
		cases = append(cases, "{&"+q.Var+", "+payloadSample(s, q, q.Key)+", "+rawText(key)+", "+quoted(jobID(q.Name.V, key))+"},")
	}
	return cases
}

// jobID is a key's, as the README has it: SHA-256 over the length of the queue's name (8 bytes, big endian), the name and
// the key's text; its first 16 bytes, marked as a version 8 UUID.
func jobID(queue, key string) string {
	sum := sha256.Sum256([]byte(string(binary.BigEndian.AppendUint64(nil, uint64(len(queue)))) + queue + key))
	sum[6], sum[8] = sum[6]&0x0f|0x80, sum[8]&0x3f|0x80
	h := hex.EncodeToString(sum[:16])
	return strings.Join([]string{h[:8], h[8:12], h[12:16], h[16:20], h[20:]}, "-")
}

// tenantCases makes a row for each queue whose payload says whose the job is:
//
//	{&weeklyDigestQueue, WeeklyDigest{MerchantID: "merchant_id-1", Plan: pointerTo("plan-1")}.facts(), "merchant_id-1", "plan-1"},
func tenantCases(s *goText, p *plan.Plan) []string {
	var cases []string
	for _, q := range p.Queues {
		var given []*plan.Field
		var texts [2]string
		for i, f := range []*plan.Field{q.TenantID, q.Tier} {
			switch {
			case f == nil:
			case f.Default != nil: // left out, to see the default
				texts[i], _ = f.Default.(string)
				if f.Type.Kind == plan.Int || f.Type.Kind == plan.Int64 {
					texts[i] = defaultText(f)
				}
			case i == 1 && f == q.TenantID: // one field says both
				texts[i] = texts[0]
			default:
				given, texts[i] = append(given, f), valueOf(s, f).text
			}
		}
		if q.TenantID != nil || q.Tier != nil {
			cases = append(cases, "{&"+q.Var+", "+payloadSample(s, q, given)+", "+quoted(texts[0])+", "+quoted(texts[1])+"},")
		}
	}
	return cases
}

// payloadSample is a payload with a value in each of some fields, and what the tables need to know of it.
func payloadSample(s *goText, q *plan.Queue, fields []*plan.Field) string {
	var parts []string
	for _, f := range fields {
		v := valueOf(s, f).code
		if pointer(f) {
			v = "pointerTo(" + v + ")"
		}
		parts = append(parts, f.GoName+": "+v)
	}
	return q.GoName + "{" + strings.Join(parts, ", ") + "}.facts()"
}

// fieldSample is a value of a field: in Go, in JSON, and as text.
type fieldSample struct{ code, json, text string }

func valueOf(s *goText, f *plan.Field) fieldSample {
	plain := func(code, text string) fieldSample { return fieldSample{code, text, text} }
	inQuotes := func(code, text string) fieldSample { return fieldSample{code, jsonText(text), text} }
	switch f.Type.Kind {
	case plan.Int:
		return plain("7", "7")
	case plan.Int64:
		if pointer(f) {
			return plain("int64(7)", "7")
		}
		return plain("7", "7")
	case plan.Bool:
		return plain("true", "true")
	case plan.Time:
		at := time.Date(2026, time.January, 31, 9, 30, 0, 0, time.UTC)
		return inQuotes(dateOf(s, at), at.Format(time.RFC3339Nano))
	case plan.UUID:
		const id = "6ba7b810-9dad-11d1-80b4-00c04fd430c8"
		return inQuotes(quoted(id), id)
	case plan.Enum:
		v := f.Type.Values[0]
		return inQuotes(v.GoName, v.Value.V)
	}
	text := f.Name.V + "-1"
	return inQuotes(quoted(text), text)
}

// jsonText escapes as little as JSON allows, as the text of a key does.
func jsonText(s string) string {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	_ = e.Encode(s) // a text always has JSON
	return lineSeparators.Replace(strings.TrimSuffix(b.String(), "\n"))
}

// lineSeparators are what encoding/json always escapes, and JSON allows.
var lineSeparators = strings.NewReplacer(`\u2028`, "\u2028", `\u2029`, "\u2029")
