package worker

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// derivedID is the job_id of a key, the same from a producer in any language: SHA-256 over the length of the
// queue's name (8 bytes, big endian), the name and the key's text; its first 16 bytes, marked as a version 8 UUID.
func derivedID(queue, key string) string {
	b := binary.BigEndian.AppendUint64(nil, uint64(len(queue)))
	sum := sha256.Sum256(append(append(b, queue...), key...))
	return formatID([16]byte(sum[:16]), 8)
}

// randomID is a version 7 UUID: its time part keeps new rows together in the index.
func randomID() string {
	var id [16]byte
	binary.BigEndian.PutUint64(id[:8], uint64(time.Now().UnixMilli())<<16)
	_, _ = rand.Read(id[6:]) // it never fails
	return formatID(id, 7)
}

func formatID(id [16]byte, version byte) string {
	id[6] = id[6]&0x0f | version<<4
	id[8] = id[8]&0x3f | 0x80
	h := hex.EncodeToString(id[:])
	return h[:8] + "-" + h[8:12] + "-" + h[12:16] + "-" + h[16:20] + "-" + h[20:]
}

// keyText is the key as text: the JSON array of its fields, without spaces, strings escaped as little as JSON
// allows (RFC 8785), times in UTC. An empty field would give one key to all that lack it, so it is refused.
func keyText(fields []any) (string, error) {
	var b strings.Builder
	b.WriteByte('[')
	for i, f := range fields {
		if i > 0 {
			b.WriteByte(',')
		}
		switch v := f.(type) {
		case string:
			if v == "" {
				return "", fmt.Errorf("field %d of the idempotency key is empty", i+1)
			}
			if !utf8.ValidString(v) {
				return "", fmt.Errorf("field %d of the idempotency key is not valid UTF-8", i+1)
			}
			quoteKey(&b, v)
		case bool:
			b.WriteString(strconv.FormatBool(v))
		case int:
			b.WriteString(strconv.Itoa(v))
		case int64:
			b.WriteString(strconv.FormatInt(v, 10))
		case time.Time:
			if v.IsZero() {
				return "", fmt.Errorf("field %d of the idempotency key is empty", i+1)
			}
			quoteKey(&b, v.UTC().Format(time.RFC3339Nano))
		default:
			return "", errors.New("the idempotency key has a field that is no text, number or time")
		}
	}
	b.WriteByte(']')
	return b.String(), nil
}

func quoteKey(b *strings.Builder, s string) {
	b.WriteByte('"')
	for _, r := range s {
		switch {
		case r == '"' || r == '\\':
			b.WriteByte('\\')
			b.WriteRune(r)
		case r >= ' ':
			b.WriteRune(r)
		default:
			if i := strings.IndexRune("\b\t\n\f\r", r); i >= 0 {
				b.WriteString(`\` + "btnfr"[i:i+1])
			} else {
				fmt.Fprintf(b, `\u%04x`, r)
			}
		}
	}
	b.WriteByte('"')
}
