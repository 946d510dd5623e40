package diag

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
)

// jsonFinding is one entry of the JSON form. Its keys are a contract: none is ever renamed or left out.
type jsonFinding struct {
	File      string       `json:"file"`
	Line      int          `json:"line"` // from 1; 0 where the finding has no place
	Column    int          `json:"column"`
	EndColumn int          `json:"end_column"` // the column behind the last one
	Code      string       `json:"code"`
	Severity  string       `json:"severity"`
	Message   string       `json:"message"`
	Hint      string       `json:"hint"`
	Related   *jsonRelated `json:"related"`
	Ignored   string       `json:"ignored"` // the reason for which a comment takes it out; empty: none does
}

type jsonRelated struct {
	Line      int    `json:"line"`
	Column    int    `json:"column"`
	EndColumn int    `json:"end_column"`
	Message   string `json:"message"`
}

// JSON renders the findings as one array, which is empty where there are none. Columns count characters.
func (l List) JSON(w io.Writer, file string) error {
	out := make([]jsonFinding, 0, len(l))
	for _, d := range l {
		f := jsonFinding{
			File: file, Line: d.Pos.Line, Column: d.Pos.Col, EndColumn: end(d.Pos, d.Width),
			Code: d.Code, Severity: d.Severity.String(), Message: d.Message, Hint: d.Hint, Ignored: d.Ignored,
		}
		if r := d.Related; r != nil {
			f.Related = &jsonRelated{r.Pos.Line, r.Pos.Col, end(r.Pos, r.Width), r.Message}
		}
		out = append(out, f)
	}
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	return enc.Encode(out)
}

func end(pos Pos, width int) int {
	if !pos.Valid() {
		return 0
	}
	return pos.Col + max(width, 1)
}

// GitHub renders the findings as workflow commands, which show up as annotations on the lines of a pull request. Of very
// many it shows the first, and how many there are besides.
func (l List) GitHub(w io.Writer, file string) error {
	var b strings.Builder
	shown, hidden := l.shown()
	for _, d := range shown {
		fmt.Fprintf(&b, "::%s file=%s", d.Severity, property.Replace(file))
		if d.Pos.Valid() {
			fmt.Fprintf(&b, ",line=%d,col=%d,endColumn=%d", d.Pos.Line, d.Pos.Col, end(d.Pos, d.Width))
		}
		text := d.Message
		if d.Hint != "" {
			text += "\n" + d.Hint
		}
		if d.Related != nil {
			text += fmt.Sprintf("\n%s: line %d", d.Related.Message, d.Related.Pos.Line)
		}
		fmt.Fprintf(&b, ",title=%s::%s\n", property.Replace(d.Code), data.Replace(text))
	}
	if hidden > 0 {
		fmt.Fprintf(&b, "::notice file=%s::… and %d more\n", property.Replace(file), hidden)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// What ends a command or one of its properties is written in percent signs.
var (
	data     = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A")
	property = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A", ":", "%3A", ",", "%2C")
)
