package diag

import (
	"fmt"
	"io"
	"strings"
	"unicode"
)

// Formats are the names that Write takes: text for people, json for programs, github for annotations on a pull request.
var Formats = []string{"text", "json", "github"}

// Write renders the findings about one file. src is its content, which the text form quotes.
func (l List) Write(w io.Writer, format, file string, src []byte) error {
	switch format {
	case "text":
		return l.Text(w, file, src)
	case "json":
		return l.JSON(w, file)
	case "github":
		return l.GitHub(w, file)
	}
	return fmt.Errorf("no output format is called %q; there are %s", format, strings.Join(Formats, ", "))
}

// mostShown is how many findings people are shown at once. Who fixes that many runs the check again.
const mostShown = 100

// shown are the findings to show to people, and how many are left out.
func (l List) shown() (List, int) {
	n := min(len(l), mostShown)
	return l[:n], len(l) - n
}

// visible keeps a line one line, and a terminal safe from control characters that a file or a message holds.
func visible(s string) string {
	return strings.Map(func(r rune) rune {
		if r != '\t' && !unicode.IsPrint(r) && r != '\u00a0' {
			return '\ufffd'
		}
		return r
	}, s)
}
