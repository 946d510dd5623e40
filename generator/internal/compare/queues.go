package compare

import (
	"fmt"
	"slices"
	"strings"

	"github.com/retryc/retryc/generator/internal/resolved"
)

// queues compares each queue with the one of its name, and joins those that change in the same way.
func (c *comparison) queues() {
	j := joiner{at: map[string]int{}}
	now, old := byName(c.now.Queues), byName(c.old.Queues)
	type pair [2]*resolved.Tier // that many queues have in common
	compared := map[pair]*rowsAndKey{}
	for i := range c.old.Queues {
		was := &c.old.Queues[i]
		is := now[was.Name]
		if is == nil {
			c.kinds["queue_removed"] = true
			j.add(was.Name, QueueChange{Change: Removed, Jobs: []Row{}, Settings: []Setting{}}, "")
			continue
		}
		if !slices.Equal(was.Key, is.Key) {
			c.kinds["key_changed"] = true
		}
		key := pair{&was.Tiers[0], &is.Tiers[0]}
		r := compared[key]
		if r == nil {
			rows := c.rows(was, is)
			r = &rowsAndKey{rows, keyOf(rows)}
			compared[key] = r
		}
		if len(r.rows) > 0 {
			j.add(was.Name, QueueChange{Change: Changed, Jobs: r.rows, Settings: []Setting{}}, r.key)
		}
		if settings := queueSettings(was, is); len(settings) > 0 {
			j.add(was.Name, QueueChange{Change: Changed, Jobs: []Row{}, Settings: settings}, "")
		}
	}
	for i := range c.now.Queues {
		if q := &c.now.Queues[i]; old[q.Name] == nil {
			rows := c.introduced(q)
			j.add(q.Name, QueueChange{Change: Added, Jobs: rows, Settings: queueSettings(nil, q)}, keyOf(rows))
		}
	}
	for _, q := range j.paired() {
		c.judge(q)
		q.Jobs = slices.DeleteFunc(slices.Clone(q.Jobs), func(r Row) bool { return r.quiet })
		if q.Change != Changed || len(q.Jobs)+len(q.Settings) > 0 {
			c.report.Queues = append(c.report.Queues, q)
		}
	}
}

type rowsAndKey struct {
	rows []Row
	key  string
}

func byName(queues []resolved.Queue) map[string]*resolved.Queue {
	all := map[string]*resolved.Queue{}
	for i := range queues {
		all[queues[i].Name] = &queues[i]
	}
	return all
}

// joiner collects changes, and joins the queues of the same one. Figures and settings are apart, as a change of a ladder is the
// same for queues that change otherwise too.
type joiner struct {
	changes []QueueChange
	at      map[string]int
}

// add takes a change of one queue, and the key of its rows.
func (j *joiner) add(name string, q QueueChange, rows string) {
	key := fmt.Sprintf("%s %q %s", q.Change, q.Settings, rows)
	if i, known := j.at[key]; known {
		j.changes[i].Queues = append(j.changes[i].Queues, name)
		return
	}
	j.at[key] = len(j.changes)
	q.Queues = []string{name}
	j.changes = append(j.changes, q)
}

// paired puts the figures and the settings together that change for the very same queues.
func (j *joiner) paired() (out []QueueChange) {
	at := map[string]int{}
	for _, q := range j.changes {
		key := q.Change + "\x00" + strings.Join(q.Queues, "\x00")
		i, known := at[key]
		if !known {
			at[key] = len(out)
			out = append(out, q)
			continue
		}
		if len(out[i].Jobs) == 0 {
			out[i].Jobs = q.Jobs
		} else {
			out[i].Settings = q.Settings
		}
	}
	return out
}

func keyOf(rows []Row) string {
	var b strings.Builder
	for _, r := range rows {
		fmt.Fprintf(&b, "%q %s\n", r.Of, texts(r.Figures))
	}
	return b.String()
}

// rows are the figures that change for the jobs of a queue, each with all the jobs for which it changes so.
func (c *comparison) rows(was, is *resolved.Queue) []Row {
	t := &table{rows: map[string]*row{}}
	before, after := tiersOf(was), tiersOf(is)
	for _, name := range tierNames(was, is) {
		old, now := tierOf(before, name), tierOf(after, name)
		t.tiers++
		for _, s := range c.subjects(old, now) {
			x, y := endOf(old, s.before, s.crash), endOf(now, s.now, s.crash)
			if x != nil && y != nil {
				figures, quiet := telling(changed(endValues(x, c.currency()), endValues(y, c.currency())))
				t.add(name, s.label, figures, quiet)
			}
		}
		t.add(name, "", changed(worstValues(&old.Worst, c.currency()), worstValues(&now.Worst, c.currency())), false)
	}
	return t.joined()
}

// introduced is the worst of a queue that was not there.
func (c *comparison) introduced(q *resolved.Queue) []Row {
	t := &table{rows: map[string]*row{}}
	for i := range q.Tiers {
		var figures []Figure
		for _, v := range worstValues(&q.Tiers[i].Worst, c.currency()) {
			if v.text != "0" && v.text != "none" {
				figures = append(figures, Figure{Name: v.name, After: v.text})
			}
		}
		t.tiers++
		t.add(q.Tiers[i].Tier, "", figures, false)
	}
	return t.joined()
}

func (c *comparison) currency() string {
	if c.prices == nil {
		return ""
	}
	return c.prices.Currency
}

// subjects are the classes that both have, then the errors that are of another class now.
func (c *comparison) subjects(old, now *resolved.Tier) []subject {
	var list []subject
	for i := range old.Ends {
		e := &old.Ends[i]
		if endOf(now, e.Class, e.Crash) != nil {
			list = append(list, subject{e.Class + crashMark(e.Crash), e.Class, e.Class, e.Crash})
		}
	}
	return append(list, c.moved...)
}

func crashMark(crash bool) string {
	if crash {
		return " (a process that died)"
	}
	return ""
}

func endOf(t *resolved.Tier, class string, crash bool) *resolved.End {
	for i := range t.Ends {
		if e := &t.Ends[i]; e.Class == class && e.Crash == crash {
			return e
		}
	}
	return nil
}

func tiersOf(q *resolved.Queue) map[string]*resolved.Tier {
	all := map[string]*resolved.Tier{}
	for i := range q.Tiers {
		all[q.Tiers[i].Tier] = &q.Tiers[i]
	}
	return all
}

// tierOf is that of the name, or what holds for jobs of a tier that has no ladder.
func tierOf(all map[string]*resolved.Tier, name string) *resolved.Tier {
	if t := all[name]; t != nil {
		return t
	}
	return all[""]
}

func tierNames(queues ...*resolved.Queue) (names []string) {
	for _, q := range queues {
		for _, t := range q.Tiers {
			if !slices.Contains(names, t.Tier) {
				names = append(names, t.Tier)
			}
		}
	}
	return names
}

// table joins jobs for which the same figures change.
type table struct {
	rows  map[string]*row // by their figures
	order []string
	tiers int // of the queue
}

type row struct {
	figures []Figure
	quiet   bool
	ends    map[string][]string // by tier
	tiers   []string
}

func (t *table) add(tier, end string, figures []Figure, quiet bool) {
	if len(figures) == 0 {
		return
	}
	key := fmt.Sprint(end == "", texts(figures))
	r := t.rows[key]
	if r == nil {
		r = &row{figures: figures, quiet: quiet, ends: map[string][]string{}}
		t.rows[key] = r
		t.order = append(t.order, key)
	}
	if r.ends[tier] == nil {
		r.tiers = append(r.tiers, tier)
		r.ends[tier] = []string{}
	}
	if end != "" {
		r.ends[tier] = append(r.ends[tier], end)
	}
}

func texts(figures []Figure) string {
	var b strings.Builder
	for _, f := range figures {
		b.WriteString(f.Name + "\x00" + f.Before + "\x00" + f.After + "\x00")
	}
	return b.String()
}

// joined are the rows, with tiers together that have the same ends.
func (t *table) joined() []Row {
	rows := []Row{}
	for _, key := range t.order {
		r := t.rows[key]
		out := Row{Figures: r.figures, quiet: r.quiet}
		for _, tier := range r.tiers {
			i := slices.IndexFunc(out.Of, func(j Jobs) bool { return slices.Equal(j.Ends, r.ends[tier]) })
			if i < 0 {
				i = len(out.Of)
				out.Of = append(out.Of, Jobs{Tiers: []string{}, Ends: r.ends[tier]})
			}
			out.Of[i].Tiers = append(out.Of[i].Tiers, tier)
		}
		for i := range out.Of {
			if len(out.Of[i].Tiers) == t.tiers {
				out.Of[i].Tiers = []string{}
			}
		}
		rows = append(rows, out)
	}
	return rows
}
