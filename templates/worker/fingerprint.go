package worker

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// fingerprint is the same for errors that have one cause: it groups dead letters. It is made of the class, the
// status or SQLSTATE, and the first line of the text with what varies masked.
func fingerprint(class string, err error, detail string) string {
	line, _, _ := strings.Cut(detail, "\n")
	sum := sha256.Sum256([]byte(class + "\x00" + codeOf(err) + "\x00" + masked(line)))
	return hex.EncodeToString(sum[:8])
}

// masked has a ? for what differs between two errors of one cause: quoted values, and words with a digit in them, such as
// numbers, ids and addresses.
func masked(line string) string {
	var out strings.Builder
	before := ' '
	for i := 0; i < len(line); {
		c, size := utf8.DecodeRuneInString(line[i:])
		end, varies := i+size, false
		switch {
		case c == '"', c == '`', c == '\'' && !alphanumeric(before): // an apostrophe is no quote
			if n := strings.IndexRune(line[end:], c); n >= 0 {
				end, varies = end+n+size, true
			}
		case inWord(c):
			for end < len(line) {
				next, size := utf8.DecodeRuneInString(line[end:])
				if !inWord(next) {
					break
				}
				end += size
			}
			varies = strings.ContainsFunc(line[i:end], unicode.IsNumber)
		}
		if varies {
			out.WriteByte('?')
		} else {
			out.WriteString(line[i:end])
		}
		before, _ = utf8.DecodeLastRuneInString(line[:end])
		i = end
	}
	return out.String()
}

// inWord says whether a rune is part of a word, an id or an address.
func inWord(c rune) bool { return alphanumeric(c) || c == '_' || c == '-' || c == '.' || c == ':' }

func alphanumeric(c rune) bool { return unicode.IsLetter(c) || unicode.IsNumber(c) }

func codeOf(err error) string {
	var e interface{ SQLState() string }
	if errors.As(err, &e) {
		return e.SQLState()
	}
	return strconv.Itoa(statusOf(err))
}

// statusOf is the HTTP status that an error in the chain tells by a method StatusCode() int or HTTPStatusCode()
// int; 0 is none.
func statusOf(err error) int {
	var a interface{ StatusCode() int }
	if errors.As(err, &a) {
		return a.StatusCode()
	}
	var b interface{ HTTPStatusCode() int }
	if errors.As(err, &b) {
		return b.HTTPStatusCode()
	}
	return 0
}
