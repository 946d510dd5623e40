package migrate

import (
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// sorted is a schema without the order of its columns, in which Apply and a spec may differ.
func sorted(s Schema) Schema {
	s.Columns = slices.SortedFunc(slices.Values(s.Columns), func(a, b Column) int { return strings.Compare(a.Name, b.Name) })
	return s
}

// Whatever the two schemas are, the changes lead from one to the other, and their inverses back.
func TestChangesLeadThereAndBack(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	pick := func(from ...string) string { return from[r.IntN(len(from))] }
	schema := func() Schema {
		s := Schema{Dialect: "sqlite", Shape: 1, Job: pick("job", "task"), Attempt: pick("job_attempt", "run"), DeadLetter: pick("dead_letter", "x_dead_letter"), Tenants: r.IntN(2) == 0, Brokers: r.IntN(2) == 0, Traces: r.IntN(2) == 0, Purge: pick("", "job_purge", "x_job_purge"), Redrive: pick("", "job_redrive", "x_job_redrive")}
		for _, name := range []string{"a", "b", "c", "d"} {
			if r.IntN(2) == 0 {
				s.Columns = append(s.Columns, Column{Name: name, Type: pick("text", "integer", "real"), From: pick("f", "g"), Index: r.IntN(2) == 0})
			}
		}
		r.Shuffle(len(s.Columns), func(i, j int) { s.Columns[i], s.Columns[j] = s.Columns[j], s.Columns[i] })
		return s
	}
	for range 5000 {
		old, next := schema(), schema()
		next.Shape += r.IntN(3)
		renamed := map[string]string{}
		for _, c := range next.Columns {
			was := pick("a", "b", "c", "d")
			_, there := old.Column(c.Name)
			_, known := old.Column(was)
			_, kept := next.Column(was)
			if !there && known && !kept && !slices.Contains(slices.Collect(maps.Values(renamed)), was) {
				renamed[c.Name] = was
			}
		}
		changes := Diff(old, next, renamed)
		at := old
		for _, c := range changes {
			at = at.Apply(c)
		}
		if diff := cmp.Diff(sorted(next), sorted(at)); diff != "" {
			t.Fatalf("from %+v by %+v: %s", old, changes, diff)
		}
		for _, c := range slices.Backward(changes) {
			at = at.Apply(c.Inverse())
		}
		if diff := cmp.Diff(sorted(old), sorted(at)); diff != "" {
			t.Fatalf("back from %+v by %+v: %s", next, changes, diff)
		}
	}
}

func TestOrderOfColumnsIsNoChange(t *testing.T) {
	a, b := Column{Name: "a", Type: "text"}, Column{Name: "b", Type: "text"}
	if changes := Diff(Schema{Columns: []Column{a, b}}, Schema{Columns: []Column{b, a}}, nil); len(changes) > 0 {
		t.Errorf("%+v", changes)
	}
}

// The tables of every spec change by templates that have the number of their shape.
func TestChangesOfTheShape(t *testing.T) {
	changes := Diff(Schema{Shape: 1}, Schema{Shape: 3}, nil)
	var got []Kind
	for _, c := range changes {
		got = append(got, c.Kind, c.Inverse().Kind, c.Inverse().Inverse().Kind)
	}
	if diff := cmp.Diff([]Kind{"shape2", "unshape2", "shape2", "shape3", "unshape3", "shape3"}, got); diff != "" {
		t.Error(diff)
	}
}
