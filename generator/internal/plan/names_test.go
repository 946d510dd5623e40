package plan_test

import (
	"testing"

	"github.com/retryc/retryc/generator/internal/plan"
	"github.com/retryc/retryc/spec"
	"github.com/retryc/retryc/spec/spectest"
)

func TestCollisionsCiteBothPlaces(t *testing.T) {
	for name, c := range map[string]struct{ snippet, code, message string }{
		"a payload and a nested object of another": {
			"queues:\n  doc: {payload: {page: {type: object, fields: {n: int}}}}\n  doc-page: {payload: {n: int}}\n", "RC230",
			`the field "page" of the queue "doc" and the queue "doc-page" both become DocPage`,
		},
		"a payload and the worker of another": {
			"queues:\n  doc: {payload: {n: int}}\n  doc-worker: {payload: {n: int}}\n", "RC230",
			`the queue "doc" and the queue "doc-worker" both become DocWorker`,
		},
		"a value of an enum and a queue": {
			"queues: {doc: {payload: {f: {type: string, enum: [a]}}}, doc-f-a: {payload: {n: int}}}\n", "RC230",
			`the value "a" of the field "f" of the queue "doc" and the queue "doc-f-a" both become DocFA`,
		},
		"an error and a queue": {
			"queues: {err-gone: {payload: {n: int}}}\nerror_classes: [{name: gone, outcome: permanent, when: [{is: ErrGone}]}]\n", "RC230",
			`the error ErrGone and the queue "err-gone" both become ErrGone`,
		},
		"two ladders": {
			"ladders: {a-b: {rungs: [1s]}, a_b: {rungs: [1s]}}\ndefault_ladder: a_b\n", "RC230",
			`the ladder "a-b" and the ladder "a_b" both become aBLadder`,
		},
		"two fields of a nested object": {
			"queues: {doc: {payload: {o: {type: object, fields: {a_b: int, a-b: int}}}}}\n", "RC231",
			`the field "a_b" of the field "o" of the queue "doc" and the field "a-b" of the field "o" of the queue "doc" both become AB`,
		},
		"an index and a table": {
			"ledger: {dialect: sqlite, tables: {attempt: job_ready}}\n", "RC240",
			"the attempt table and an index of the job table both become job_ready",
		},
	} {
		t.Run(name, func(t *testing.T) {
			doc, refused := spec.Parse("retry.yaml", spectest.Overlay(c.snippet))
			_, list := plan.New(doc)
			if len(refused) > 0 || len(list) != 1 || list[0].Code != c.code || list[0].Message != c.message {
				t.Fatalf("got %v %v\nwant %s %s", refused, list, c.code, c.message)
			}
			if d := list[0]; !d.Pos.Valid() || d.Related == nil || d.Hint == "" {
				t.Errorf("the finding lacks a place, the other place or a hint: %v", d)
			}
		})
	}
}

func TestImportsOfOneLastPartHaveTheirOwnNames(t *testing.T) {
	p := mustPlan(t, string(spectest.Overlay(`error_classes:
  - name: mail
    outcome: permanent
    when: [{is: example.com/a/mail.ErrX}, {is: example.org/a/mail/v2.ErrX}, {is: net/mail.ErrX}, {is: example.com/a/mail.ErrY}, {is: example.com/7.ErrZ}]
`)))
	var got []string
	for _, w := range p.Classes[0].When {
		got = append(got, w.Is.Import)
	}
	for i, want := range []string{"amail", "amail2", "mail", "amail", "examplecom7"} {
		if got[i] != want {
			t.Errorf("%s is imported as %s, want %s", p.Classes[0].When[i].Is.Path, got[i], want)
		}
	}
}
