package plan

import (
	"go/token"
	"slices"
	"strings"
	"unicode"
)

// initialisms are words that Go writes in one case.
var initialisms = []string{
	"ACL", "API", "ASCII", "CPU", "CSS", "CSV", "DB", "DNS", "EAN", "EOF", "FTP", "GUID", "HTML", "HTTP", "HTTPS", "IBAN", "ID", "IP",
	"JPEG", "JSON", "JWT", "KYC", "OS", "PDF", "PNG", "QPS", "RAM", "RPC", "SKU", "SLA", "SMS", "SMTP", "SQL", "SQS", "SSH", "SSN", "TCP", "TLS", "TTL",
	"UDP", "UI", "UID", "URI", "URL", "UTF8", "UUID", "VAT", "VM", "XML", "XSRF", "XSS", "ZIP",
}

// exported makes an exported Go name of a name in snake, kebab, dotted or camel case. Every text gives a valid
// one; what gives none of its own is marked by a leading X.
func exported(name string) string {
	s := joined(Words(name))
	if !isExported(s) {
		s = "X" + s
	}
	return s
}

// unexported is the same with a small first word, for use in front of a suffix: merchantDoc for merchant-doc. It
// can be a keyword as it stands.
func unexported(name string) string {
	w := Words(name)
	if len(w) == 0 {
		return "x"
	}
	s := strings.ToLower(w[0]) + joined(w[1:])
	if first := []rune(s)[0]; !isLetter(first) || unicode.IsUpper(first) { // some capitals have no small letter
		s = "x" + s
	}
	return s
}

func joined(words []string) string {
	var b strings.Builder
	for _, w := range words {
		b.WriteString(title(w))
	}
	return b.String()
}

// Words splits a name at everything that no Go name holds, and where camel case begins a word.
func Words(name string) []string {
	shouted := !strings.ContainsFunc(name, unicode.IsLower)
	var out []string
	for _, part := range strings.FieldsFunc(name, func(r rune) bool { return !isLetter(r) && !unicode.IsDigit(r) || r == '_' }) {
		if shouted {
			out = append(out, strings.ToLower(part))
			continue
		}
		out = append(out, humps([]rune(part))...)
	}
	return out
}

// humps splits camel case: userID is user and ID, HTTPServer is HTTP and Server.
func humps(r []rune) []string {
	var out []string
	start := 0
	for i := 1; i < len(r); i++ {
		rises := unicode.IsUpper(r[i]) && !unicode.IsUpper(r[i-1])
		ends := unicode.IsUpper(r[i-1]) && unicode.IsLower(r[i]) && i-1 > start && unicode.IsUpper(r[max(0, i-2)])
		switch {
		case rises:
			out, start = append(out, string(r[start:i])), i
		case ends:
			out, start = append(out, string(r[start:i-1])), i-1
		}
	}
	return append(out, string(r[start:]))
}

// title is a word as it stands within a Go name.
func title(word string) string {
	upper := strings.ToUpper(word)
	if slices.Contains(initialisms, upper) {
		return upper
	}
	if one, plural := strings.CutSuffix(upper, "S"); plural && slices.Contains(initialisms, one) {
		return one + "s"
	}
	r := []rune(word)
	r[0] = unicode.ToUpper(r[0])
	return string(r)
}

func isLetter(r rune) bool { return r == '_' || unicode.IsLetter(r) }

func isExported(name string) bool { return token.IsIdentifier(name) && token.IsExported(name) }
