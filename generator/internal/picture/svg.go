// Package picture draws what a policy does as SVG: one file, with no script and nothing to fetch, for light and dark pages.
package picture

import (
	"fmt"
	"strconv"
	"strings"
)

const (
	width  = 760
	left   = 84 // of what is drawn, and right
	right  = 728
	margin = 24
	line   = 18 // between two lines of text
)

// style has the colours of both themes; a page can say which by its color-scheme, else the reader's system does.
const style = `<style>
svg { color-scheme: light dark; font: 13px system-ui, "Segoe UI", "DejaVu Sans", sans-serif; }
.page { fill: #ffffff; } .text { fill: #1f2328; } .soft { fill: #59636e; font-size: 12px; } .title { fill: #1f2328; font-size: 16px; font-weight: 600; }
.grid { stroke: #d1d9e0; fill: none; } .axis { stroke: #818b98; fill: none; } .mark { stroke: #1f2328; fill: none; stroke-dasharray: 5 4; }
.one { fill: #7fb0e0; } .two { fill: #d9640d; } .three { fill: #8f7fd6; } .away { fill: #f6dfdf; } .end { fill: #b3261e; } .thin { fill: #f0c9a8; }
@media (prefers-color-scheme: dark) {
.page { fill: #0d1117; } .text { fill: #e6edf3; } .soft { fill: #9da7b3; } .title { fill: #e6edf3; }
.grid { stroke: #2b323b; } .axis { stroke: #7d8590; } .mark { stroke: #e6edf3; }
.one { fill: #35659b; } .two { fill: #f0883e; } .three { fill: #a698f0; } .away { fill: #3a1f23; } .end { fill: #ff7b72; } .thin { fill: #6b4424; }
}
</style>
`

// svg is a picture that is being drawn.
type svg struct{ body strings.Builder }

func (s *svg) add(format string, args ...any) { fmt.Fprintf(&s.body, format+"\n", args...) }

// text writes a line; anchor is start, middle or end.
func (s *svg) text(x, y float64, class, anchor, text string) {
	at := ""
	if anchor != "start" {
		at = ` text-anchor="` + anchor + `"`
	}
	s.add(`<text x="%s" y="%s" class="%s"%s>%s</text>`, num(x), num(y), class, at, escaped.Replace(text))
}

func (s *svg) rect(x, y, w, h float64, class string) {
	s.add(`<rect x="%s" y="%s" width="%s" height="%s" class="%s"/>`, num(x), num(y), num(w), num(h), class)
}

func (s *svg) rule(x1, y1, x2, y2 float64, class string) {
	s.add(`<path d="M%s %sL%s %s" class="%s"/>`, num(x1), num(y1), num(x2), num(y2), class)
}

// paragraph writes lines of text below each other, and answers where the next would be.
func (s *svg) paragraph(y float64, class string, lines ...string) float64 {
	most := 98 // characters that fit
	if class == "soft" {
		most = 106
	}
	for _, text := range lines {
		for _, piece := range wrapped(text, most) {
			s.text(margin, y, class, "start", piece)
			y += line
		}
	}
	return y
}

// document is the whole file.
func (s *svg) document(height float64, title, description string) []byte {
	return fmt.Appendf(nil, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %s" width="%d" height="%s" role="img">
<title>%s</title>
<desc>%s</desc>
%s<rect width="100%%" height="100%%" class="page"/>
%s</svg>
`, width, num(height), width, num(height), escaped.Replace(title), escaped.Replace(description), style, s.body.String())
}

var escaped = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;")

// num is a number with one decimal at most.
func num(f float64) string {
	return strings.TrimSuffix(strconv.FormatFloat(f, 'f', 1, 64), ".0")
}

// wrapped breaks a text between words.
func wrapped(text string, most int) (lines []string) {
	now := ""
	for _, word := range strings.Fields(text) {
		if now != "" && len([]rune(now))+1+len([]rune(word)) > most {
			lines, now = append(lines, now), ""
		}
		if now != "" {
			now += " "
		}
		now += word
	}
	return append(lines, now)
}
