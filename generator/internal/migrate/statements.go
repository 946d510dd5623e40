package migrate

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strings"
)

// Sum is the hash of what an SQL text states. Comments, white space and line ends do not count where SameSQL says so.
func Sum(text []byte) string {
	text = plainLineEnds(text)
	if tokens, ok := sqlTokens(string(text)); ok {
		text = []byte(strings.Join(tokens, "\n"))
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}

// SameSQL reports whether two SQL texts hold the same statements: only comments, white space and line ends may
// differ. In doubt it answers no.
func SameSQL(a, b []byte) bool {
	a, b = plainLineEnds(a), plainLineEnds(b)
	if bytes.Equal(a, b) {
		return true
	}
	x, ok := sqlTokens(string(a))
	if !ok {
		return false
	}
	y, ok := sqlTokens(string(b))
	return ok && slices.Equal(x, y)
}

// sqlTokens splits a text into words, operators and whole quoted parts. Comments are left out, but for those that a
// tool obeys: a migration tool's annotations (-- +goose Down) and MySQL's executable comments (/*! and /*+).
// It answers false where the dialects disagree on what is quoted (a backslash) or where a quote never ends.
func sqlTokens(text string) (tokens []string, ok bool) {
	for i := 0; i < len(text); {
		rest := text[i:]
		n := 1
		switch c := rest[0]; {
		case c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f':
			i++
			continue
		case strings.HasPrefix(rest, "--"):
			line, _, _ := strings.Cut(rest, "\n")
			if note := strings.Fields(line[2:]); len(note) > 0 && note[0][0] == '+' {
				tokens = append(tokens, "-- "+strings.Join(note, " "))
			}
			i += len(line)
			continue
		case strings.HasPrefix(rest, "/*"):
			if n = blockComment(rest); n > 2 && rest[2] != '!' && rest[2] != '+' {
				i += n
				continue
			}
		case c == '\\':
			return nil, false
		case isSQLWord(c) || isQuote(c):
			n = wordOrQuoted(rest)
		case strings.IndexByte("(),;[]", c) < 0:
			// An operator: a run, for `<=` is not `< =`. It ends where a comment begins.
			for n < len(rest) && isOperator(rest[n]) && !strings.HasPrefix(rest[n:], "--") && !strings.HasPrefix(rest[n:], "/*") {
				n++
			}
		}
		if n == 0 || strings.Contains(rest[:n], `\`) {
			return nil, false
		}
		tokens = append(tokens, rest[:n])
		i += n
	}
	return tokens, true
}

// wordOrQuoted is the length of a word, a quoted part, or a word that touches one (x'00' is not x '00'); 0 where
// the quote never ends.
func wordOrQuoted(s string) int {
	if s[0] == '$' {
		return dollarQuoted(s)
	}
	n := sqlWord(s)
	if n == len(s) || !isQuote(s[n]) {
		return n
	}
	quote := s[n]
	for n++; n < len(s); n++ {
		if s[n] != quote {
			continue
		}
		if n+1 == len(s) || s[n+1] != quote {
			return n + 1
		}
		n++ // a doubled quote stands for itself
	}
	return 0
}

// dollarQuoted is the length of $tag$ … $tag$; of the word where s is only that, as $1 is.
func dollarQuoted(s string) int {
	end := strings.IndexByte(s[1:], '$') + 2
	if end < 2 || sqlWord(s) < end {
		return sqlWord(s)
	}
	tag := s[:end]
	closing := strings.Index(s[end:], tag)
	if closing < 0 {
		return 0
	}
	return end + closing + end
}

func sqlWord(s string) (n int) {
	for n < len(s) && isSQLWord(s[n]) {
		n++
	}
	return n
}

// blockComment is the length of a comment, 0 where it never ends. PostgreSQL nests them and others do not, so one
// that holds another is not a comment that can be left out: 0 too.
func blockComment(s string) int {
	end := strings.Index(s[2:], "*/")
	if end < 0 || strings.Contains(s[2:2+end], "/*") {
		return 0
	}
	return end + 4
}

func isQuote(c byte) bool { return c == '\'' || c == '"' || c == '`' }

func isSQLWord(c byte) bool {
	return c == '_' || c == '$' || c == '.' || c >= 0x80 || '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
}

func isOperator(c byte) bool {
	return c > ' ' && !isSQLWord(c) && !isQuote(c) && strings.IndexByte("(),;[]\\", c) < 0
}

func plainLineEnds(text []byte) []byte { return bytes.ReplaceAll(text, []byte("\r\n"), []byte("\n")) }
