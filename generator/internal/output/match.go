package output

import (
	"slices"
	"sort"
)

const (
	maxTable = 1 << 20 // cells of the table in which a small stretch is matched exactly
	maxDepth = 64      // of nested stretches
)

// matchLines finds the lines that stay when x becomes y, as stretches in order. It is a patience diff: lines that
// are unique in both texts are the anchors, and what lies between two anchors is matched in the same way. Where
// there are none, a small stretch is matched exactly and a large one counts as changed as a whole, so that the time
// stays near linear.
func matchLines(x, y []string) []run {
	ids := make(map[string]int, len(x))
	number := func(lines []string) []int {
		out := make([]int, len(lines))
		for i, line := range lines {
			id, ok := ids[line]
			if !ok {
				id = len(ids)
				ids[line] = id
			}
			out[i] = id
		}
		return out
	}
	m := matcher{x: number(x), y: number(y)}
	m.match(0, len(x), 0, len(y), 0)
	return m.runs
}

type matcher struct {
	x, y []int
	runs []run
}

// add appends a stretch, or lengthens the last one.
func (m *matcher) add(a, b, n int) {
	if k := len(m.runs) - 1; k >= 0 && m.runs[k].a+m.runs[k].n == a && m.runs[k].b+m.runs[k].n == b {
		m.runs[k].n += n
	} else if n > 0 {
		m.runs = append(m.runs, run{a, b, n})
	}
}

// match works on x[a0:a1] and y[b0:b1].
func (m *matcher) match(a0, a1, b0, b1, depth int) {
	start := a0
	for a0 < a1 && b0 < b1 && m.x[a0] == m.y[b0] {
		a0, b0 = a0+1, b0+1
	}
	m.add(start, b0-(a0-start), a0-start)
	end := a1
	for a0 < a1 && b0 < b1 && m.x[a1-1] == m.y[b1-1] {
		a1, b1 = a1-1, b1-1
	}
	if a0 < a1 && b0 < b1 {
		anchors := m.anchors(a0, a1, b0, b1)
		switch {
		case len(anchors) > 0 && depth < maxDepth:
			a, b := a0, b0
			for _, anchor := range anchors {
				m.match(a, anchor.a, b, anchor.b, depth+1)
				m.add(anchor.a, anchor.b, 1)
				a, b = anchor.a+1, anchor.b+1
			}
			m.match(a, a1, b, b1, depth+1)
		case (a1-a0+1)*(b1-b0+1) <= maxTable:
			m.exact(a0, a1, b0, b1)
		}
	}
	m.add(a1, b1, end-a1)
}

// anchors are the lines that are unique on both sides, the longest choice of them that rises on both.
func (m *matcher) anchors(a0, a1, b0, b1 int) []run {
	type seen struct{ inX, inY, a, b int }
	lines := map[int]*seen{}
	for a := a0; a < a1; a++ {
		if s := lines[m.x[a]]; s != nil {
			s.inX++
		} else {
			lines[m.x[a]] = &seen{inX: 1, a: a}
		}
	}
	for b := b0; b < b1; b++ {
		if s := lines[m.y[b]]; s != nil {
			s.inY++
			s.b = b
		}
	}
	var unique []run
	for a := a0; a < a1; a++ {
		if s := lines[m.x[a]]; s.inX == 1 && s.inY == 1 {
			unique = append(unique, run{a, s.b, 1})
		}
	}
	return rising(unique)
}

// rising is the longest subsequence of pairs, which are in order of a, whose b rise too.
func rising(pairs []run) []run {
	var ends []int // ends[k] ends the best sequence of length k+1
	before := make([]int, len(pairs))
	for i, p := range pairs {
		k := sort.Search(len(ends), func(k int) bool { return pairs[ends[k]].b > p.b })
		before[i] = -1
		if k > 0 {
			before[i] = ends[k-1]
		}
		if k == len(ends) {
			ends = append(ends, i)
		} else {
			ends[k] = i
		}
	}
	var out []run
	if len(ends) > 0 {
		for i := ends[len(ends)-1]; i >= 0; i = before[i] {
			out = append(out, pairs[i])
		}
	}
	slices.Reverse(out)
	return out
}

// exact finds a longest common subsequence by the textbook table.
func (m *matcher) exact(a0, a1, b0, b1 int) {
	w := b1 - b0 + 1
	table := make([]int32, (a1-a0+1)*w)
	for a := a1 - 1; a >= a0; a-- {
		for b := b1 - 1; b >= b0; b-- {
			at := (a-a0)*w + b - b0
			if m.x[a] == m.y[b] {
				table[at] = table[at+w+1] + 1
			} else {
				table[at] = max(table[at+w], table[at+1])
			}
		}
	}
	for a, b := a0, b0; a < a1 && b < b1; {
		at := (a-a0)*w + b - b0
		switch {
		case m.x[a] == m.y[b]:
			m.add(a, b, 1)
			a, b = a+1, b+1
		case table[at+w] >= table[at+1]:
			a++
		default:
			b++
		}
	}
}
