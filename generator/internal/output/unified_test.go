package output

import (
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestUnified(t *testing.T) {
	for _, tt := range []struct{ name, a, b, want string }{
		{"the same", "a\nb\n", "a\nb\n", ""},
		{"the same but for line ends", "a\r\nb\r\n", "a\nb\n", ""},
		{"a line in the middle, three lines of context", "1\n2\n3\n4\n5\n6\n7\n8\n9\n", "1\n2\n3\n4\nfive\n6\n7\n8\n9\n",
			"@@ -2,7 +2,7 @@\n 2\n 3\n 4\n-5\n+five\n 6\n 7\n 8\n"},
		{"from nothing", "", "a\nb\n", "@@ -0,0 +1,2 @@\n+a\n+b\n"},
		{"to nothing", "a\n", "", "@@ -1 +0,0 @@\n-a\n"},
		{"no newline at the end any longer", "a\nb\n", "a\nb", "@@ -1,2 +1,2 @@\n a\n-b\n+b\n\\ No newline at end of file\n"},
		{"an added line at the end", "a\n", "a\nb\n", "@@ -1 +1,2 @@\n a\n+b\n"},
		{"an added line at the start", "b\n", "a\nb\n", "@@ -1 +1,2 @@\n+a\n b\n"},
		{"six lines between two changes make one hunk", "x\n1\n2\n3\n4\n5\n6\nx\n", "y\n1\n2\n3\n4\n5\n6\nz\n",
			"@@ -1,8 +1,8 @@\n-x\n+y\n 1\n 2\n 3\n 4\n 5\n 6\n-x\n+z\n"},
		{"seven lines between them make two", "x\n1\n2\n3\n4\n5\n6\n7\nx\n", "y\n1\n2\n3\n4\n5\n6\n7\nz\n",
			"@@ -1,4 +1,4 @@\n-x\n+y\n 1\n 2\n 3\n@@ -6,4 +6,4 @@\n 5\n 6\n 7\n-x\n+z\n"},
		{"a moved block leaves the longer part in place", "a\nb\nc\nd\n", "d\na\nb\nc\n", "@@ -1,4 +1,4 @@\n+d\n a\n b\n c\n-d\n"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			want := tt.want
			if want != "" {
				want = "--- old\n+++ new\n" + want
			}
			if diff := cmp.Diff(want, Unified("old", "new", []byte(tt.a), []byte(tt.b))); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// Applying the diff to the one text gives the other, whatever the texts are.
func TestUnifiedAppliesToTheOldText(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	text := func() string {
		var b strings.Builder
		for range r.IntN(40) {
			fmt.Fprintf(&b, "%d\n", r.IntN(1+r.IntN(30)))
		}
		s := b.String()
		if r.IntN(4) == 0 {
			s = strings.TrimSuffix(s, "\n")
		}
		return s
	}
	for range 5000 {
		a, b := text(), text()
		d := Unified("a", "b", []byte(a), []byte(b))
		if got := apply(t, a, d); got != b {
			t.Fatalf("applied to %q, the diff\n%s\ngives %q, not %q", a, d, got, b)
		}
	}
}

// apply is a strict patch: every kept or removed line must be where the diff says.
func apply(t *testing.T, a, diff string) string {
	t.Helper()
	old, at, out := splitLines([]byte(a)), 0, ""
	lines := splitLines([]byte(diff))
	for i := 0; i < len(lines); i++ {
		line := lines[i]
		if i+1 < len(lines) && lines[i+1][0] == '\\' {
			line = strings.TrimSuffix(line, "\n")
		}
		switch mark := line[0]; {
		case i < 2, mark == '\\':
		case mark == '@':
			start, count, _ := strings.Cut(strings.Fields(line)[1][1:], ",")
			n, err := strconv.Atoi(start)
			if err != nil {
				t.Fatal(err)
			}
			if count != "0" {
				n--
			}
			for ; at < n; at++ {
				out += old[at]
			}
		case mark == '+':
			out += line[1:]
		default:
			if at >= len(old) || old[at] != line[1:] {
				t.Fatalf("the diff of %q has %q at line %d:\n%s", a, line, at+1, diff)
			}
			if at++; mark == ' ' {
				out += line[1:]
			}
		}
	}
	return out + strings.Join(old[at:], "")
}

// A table of all lines against all would need minutes and gigabytes here.
func BenchmarkUnifiedOfLargeFiles(b *testing.B) {
	const lines = 40_000
	build := func(line func(i int) string) []byte {
		var b strings.Builder
		for i := range lines {
			b.WriteString(line(i) + "\n")
		}
		return []byte(b.String())
	}
	r := rand.New(rand.NewPCG(3, 4))
	unique := build(strconv.Itoa)
	for _, bb := range []struct {
		name string
		text []byte
	}{
		{"every tenth line", build(func(i int) string { return strconv.Itoa(i + i%10/9*lines) })},
		{"nothing in common", build(func(i int) string { return "x" + strconv.Itoa(i) })},
		{"reversed", build(func(i int) string { return strconv.Itoa(lines - i) })},
		{"shuffled", build(func(int) string { return strconv.Itoa(r.IntN(lines)) })},
		{"few distinct lines", build(func(int) string { return strconv.Itoa(r.IntN(5)) })},
	} {
		b.Run(bb.name, func(b *testing.B) {
			for b.Loop() {
				Unified("a", "b", unique, bb.text)
			}
		})
	}
}
