package output

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestNotesOfAChangedQueue(t *testing.T) {
	was := Queue{Key: []string{"event", "kind"}, Payload: map[string]Field{
		"event": Required.Of("string"), "kind": Required.Of(`enum "a" "b"`), "note": Optional, "lines": Optional, "lines[].amount": Required,
	}}
	with := func(change func(q *Queue)) map[string]Queue {
		q := Queue{Key: was.Key, Payload: map[string]Field{}}
		for name, f := range was.Payload {
			q.Payload[name] = f
		}
		change(&q)
		return map[string]Queue{"charge-card": q}
	}
	const unfit = "jobs enqueued before that no longer fit are put back and then dead; keep what was there until they are done"
	const dead = " and are put back and then dead; make it optional or give it a default"
	for _, tt := range []struct {
		name string
		next map[string]Queue
		want []string
	}{
		{"the same", with(func(*Queue) {}), nil},
		{"another queue more", map[string]Queue{"charge-card": was, "send-webhook": {}}, nil},
		{"renamed", map[string]Queue{"charge": was},
			[]string{"the queue charge-card is gone: jobs that are still in it will not run, and its keys are not those of a queue with another name"}},
		{"another key", with(func(q *Queue) { q.Key = []string{"event"} }),
			[]string{"the key of charge-card changed: an event that was enqueued before is a new job now"}},
		{"the key in another order", with(func(q *Queue) { q.Key = []string{"kind", "event"} }),
			[]string{"the key of charge-card changed: an event that was enqueued before is a new job now"}},
		{"a required field more", with(func(q *Queue) { q.Payload["token"] = Required }),
			[]string{"the field token of charge-card is new and required: jobs enqueued before lack it," + dead}},
		{"an optional field more", with(func(q *Queue) { q.Payload["token"] = Optional }), nil},
		{"an optional field becomes required", with(func(q *Queue) { q.Payload["note"] = Required }),
			[]string{"the field note of charge-card is required now: jobs enqueued before may lack it," + dead}},
		{"a required field becomes optional", with(func(q *Queue) { q.Payload["kind"] = Optional }), nil},
		{"a field of another type", with(func(q *Queue) { q.Payload["event"] = Required.Of("int") }),
			[]string{"the field event of charge-card was of type string and is of type int: " + unfit}},
		{"a field of a type that holds more", with(func(q *Queue) { q.Payload["event"] = Required.Of("json") }), nil},
		{"a value less of an enum", with(func(q *Queue) { q.Payload["kind"] = Required.Of(`enum "b" "c"`) }),
			[]string{`the field kind of charge-card cannot be "a" any more: ` + unfit}},
		{"a value more of an enum", with(func(q *Queue) { q.Payload["kind"] = Required.Of(`enum "c" "b" "a"`) }), nil},
		{"an enum that becomes text", with(func(q *Queue) { q.Payload["kind"] = Required.Of("string") }), nil},
		{"a required field within another", with(func(q *Queue) { q.Payload["lines[].tax"] = Required }),
			[]string{"the field lines[].tax of charge-card is new and required: jobs enqueued before lack it," + dead}},
		{"a required field within a new one is not told apart", with(func(q *Queue) {
			q.Payload["to"], q.Payload["to.name"] = Required, Required
		}), []string{"the field to of charge-card is new and required: jobs enqueued before lack it," + dead}},
		{"a required field within a new optional one", with(func(q *Queue) { q.Payload["to"], q.Payload["to.name"] = Optional, Required }), nil},
		{"a field less, and what is in it", with(func(q *Queue) { delete(q.Payload, "lines"); delete(q.Payload, "lines[].amount") }),
			[]string{"the field lines of charge-card is gone: jobs enqueued before that have it are put back and then dead; keep it, optional, until they are done"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, notes(map[string]Queue{"charge-card": was}, tt.next)); diff != "" {
				t.Error(diff)
			}
			if got := notes(nil, tt.next); got != nil {
				t.Errorf("with nothing recorded: %q", got)
			}
		})
	}
	if got := notes(map[string]Queue{"q": {}}, nil); len(got) != 1 || got[0] != "the queue q is gone: jobs that are still in it will not run" {
		t.Errorf("a queue without a key: %q", got)
	}
}

// A change is told until a run has made it, even if one was cut off on the way.
func TestNotesUntilTheChangeIsMade(t *testing.T) {
	root := t.TempDir()
	old := Wanted{Spec: "retry.yaml", Files: before, Queues: map[string]Queue{"q": {Key: []string{"a"}}}}
	next := Wanted{Spec: "retry.yaml", Files: after, Queues: map[string]Queue{"q": {Key: []string{"b"}}}}
	run := func(w Wanted) int {
		t.Helper()
		r, err := Sync(root, w)
		if err != nil {
			t.Fatal(err)
		}
		return len(r.Notes)
	}
	if n := run(old); n != 0 {
		t.Error("notes of the first run:", n)
	}
	changes := 0
	func() {
		defer func() { _ = recover() }()
		_, _ = sync(root, next, func() {
			if changes++; changes == 3 {
				panic(killed{})
			}
		})
	}()
	if n := run(next); changes != 3 || n != 1 {
		t.Errorf("%d notes after a run that was cut off at change %d", n, changes)
	}
	if n := run(next); n != 0 {
		t.Error("notes of a change that was made:", n)
	}
}
