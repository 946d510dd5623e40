// Package anykey makes payloads of the queue every-key, as programs in other languages may write them.
package anykey

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
)

// texts are of every kind that a key has to be escaped for, and some that it must not be.
var texts = []string{
	"evt_1", " ", "0", "é ü 漢字 🙂 \u2028\u2029 \ufeff", "e\u0301", "<a&b>", `quote " backslash \ slash / '`, "\b\t\n\f\r", "\x01\x1f\x7f\u0080", "$1 $$ $function$ %s", `\u00e9`, "[\"a\",1]",
}

func anyText(r *rand.Rand) string {
	var b strings.Builder
	for b.Len() == 0 || r.IntN(3) > 0 {
		if r.IntN(2) == 0 {
			b.WriteString(texts[r.IntN(len(texts))])
		} else if c := rune(1 + r.IntN(0x10ffff)); c < 0xd800 || c > 0xdfff {
			b.WriteRune(c)
		}
	}
	return b.String()
}

// anyTime is a time as another program may write it: of any year, with an offset, and with any number of digits.
func anyTime(r *rand.Rand) string {
	if r.IntN(10) == 0 { // the first and the last, and days that move to another year, month or leap day
		return []string{
			"0001-01-01T00:00:00.000000001Z", "0001-01-02T00:00:00+23:59", "9999-12-31T23:59:59.999999999-23:59", "2024-02-29T23:59:59-00:01", "2000-03-01T00:00:00+00:01",
		}[r.IntN(5)]
	}
	text := fmt.Sprintf("%04d-%02d-%02dT%02d:%02d:%02d", 2+r.IntN(9998), 1+r.IntN(12), 1+r.IntN(28), r.IntN(24), r.IntN(60), r.IntN(60))
	if n := r.IntN(13); n > 0 {
		text += "." + fmt.Sprintf("%012d", r.Int64N(1e12)/[]int64{1, 1e3, 1e6, 1e9}[r.IntN(4)])[12-n:]
	}
	if r.IntN(2) == 0 {
		return text + "Z"
	}
	return text + fmt.Sprintf("%c%02d:%02d", "+-"[r.IntN(2)], r.IntN(24), r.IntN(60))
}

func anyWhole(r *rand.Rand) string {
	return []string{"0", "-0", "-1", "9007199254740993", fmt.Sprint(math.MaxInt64), fmt.Sprint(math.MinInt64), fmt.Sprint(int64(r.Uint64()))}[r.IntN(7)]
}

// written is a text as JSON, at times with escapes that need not be there.
func written(r *rand.Rand, text string) string {
	if r.IntN(2) == 0 {
		doc, _ := json.Marshal(text)
		return string(doc)
	}
	var b strings.Builder
	for _, c := range text {
		switch {
		case c > 0xffff:
			c -= 0x10000
			fmt.Fprintf(&b, `\u%04X\u%04x`, 0xd800+c>>10, 0xdc00+c&0x3ff)
		default:
			fmt.Fprintf(&b, `\u%04x`, c)
		}
	}
	return `"` + b.String() + `"`
}

// Payload has a key of fields of every type, in any order.
func Payload(r *rand.Rand) string {
	fields := []string{
		`"text": ` + written(r, anyText(r)), `"colour":` + written(r, []string{"red", "light green"}[r.IntN(2)]),
		fmt.Sprintf(`"order_id":"%08x-0000-4000-8000-%012x"`, r.Uint32(), r.Uint64()>>16), `"count":` + anyWhole(r), `"total_cents":` + anyWhole(r),
		fmt.Sprintf(`"urgent":%t`, r.IntN(2) == 0), `"due_at":"` + anyTime(r) + `"`,
	}
	r.Shuffle(len(fields), func(i, j int) { fields[i], fields[j] = fields[j], fields[i] })
	return "{" + strings.Join(fields, ", ") + "}"
}
