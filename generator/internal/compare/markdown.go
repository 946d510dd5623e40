package compare

import (
	"fmt"
	"io"
	"strings"
)

// Markdown writes the report for a comment on a pull request.
func (r *Report) Markdown(w io.Writer) error {
	t := &textWriter{}
	t.line("## Retry policy: %s, compared with %s", code(r.Head), code(r.Base))
	if r.Same() {
		t.line("\nBoth mean the same.")
		return t.to(w)
	}
	if len(r.Refused) > 0 {
		t.markdownList("Not let through", r.Refused)
	}
	if len(r.Errors) > 0 {
		t.line("\n### Errors\n\n| error | before | after |\n| --- | --- | --- |")
		for _, e := range r.Errors {
			t.row(strings.Join(e.Errors, ", "), e.Before.text(), e.After.text())
		}
	}
	for _, q := range r.Queues {
		t.markdownQueue(q)
	}
	if len(r.Settings) > 0 {
		t.line("\n### Settings\n\n| setting | before | after |\n| --- | --- | --- |")
		t.settingRows(r.Settings)
	}
	if len(r.Migrations) > 0 {
		t.markdownList("Migrations to come", r.Migrations)
	}
	if len(r.InFlight) > 0 {
		t.markdownList("Jobs in flight", r.InFlight)
	}
	t.cut(mostMarkdown)
	return t.to(w)
}

// mostMarkdown is less than GitHub takes for a comment, which is 65,536 characters.
const mostMarkdown = 60_000

// cut keeps the first lines, no more than so many bytes.
func (t *textWriter) cut(most int) {
	all := t.b.String()
	if len(all) <= most {
		return
	}
	kept := all[:strings.LastIndexByte(all[:most], '\n')+1]
	t.b.Reset()
	t.b.WriteString(kept)
	t.line("\n… and %d lines more, which retryc diff shows without --format markdown.", strings.Count(all[len(kept):], "\n"))
}

func (t *textWriter) markdownList(title string, list []string) {
	t.line("\n### %s\n", title)
	for _, s := range list {
		t.line("- %s", escaped(s))
	}
}

func (t *textWriter) markdownQueue(q QueueChange) {
	title := escaped(q.title())
	t.line("\n### %s", strings.ToUpper(title[:1])+title[1:])
	if len(q.Jobs) > 0 {
		t.line("\n| jobs | | before | after | |\n| --- | --- | --- | --- | --- |")
	}
	for _, r := range q.Jobs {
		who := strings.Join(r.words(), "; ")
		for _, cells := range figureRows(r.Figures) {
			t.row(who, cells[0], cells[1], cells[3], cells[4])
			who = ""
		}
	}
	if len(q.Settings) > 0 {
		t.line("\n| setting | before | after |\n| --- | --- | --- |")
		t.settingRows(q.Settings)
	}
}

func (t *textWriter) settingRows(settings []Setting) {
	for _, s := range settings {
		t.row(s.Path, orNothing(s.Before), orNothing(s.After))
	}
}

func (t *textWriter) row(cells ...string) {
	for i, c := range cells {
		cells[i] = escaped(c)
	}
	t.line("| %s |", strings.Join(cells, " | "))
}

// escaped keeps a text from being read as markup: names and patterns of a spec are its author's.
func escaped(s string) string { return markup.Replace(s) }

var markup = strings.NewReplacer(`\`, `\\`, "|", `\|`, "*", `\*`, "_", `\_`, "`", "\\`", "<", "&lt;", ">", "&gt;", "[", `\[`, "]", `\]`, "\n", " ", "\r", " ", "#", `\#`, "@", "@\u200b")

// code is a name as it stands.
func code(s string) string {
	return fmt.Sprintf("`%s`", strings.NewReplacer("`", "'", "\n", " ", "\r", " ").Replace(s))
}
