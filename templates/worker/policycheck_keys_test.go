//retryc:when keys

package worker

import "testing"

// keyCase is the text of a key and the job_id that any producer derives from it.
type keyCase struct {
	queue    *queueTable
	facts    facts
	text, id string
}

func checkKeys(t testing.TB, cases []keyCase) {
	t.Helper()
	for _, c := range cases {
		text, err := keyText(c.facts.key)
		if err != nil || text != c.text {
			t.Errorf("queue %s: the key %s (%v), want %s", c.queue.name, text, err, c.text)
		}
		if id := derivedID(c.queue.name, text); id != c.id {
			t.Errorf("queue %s, key %s: the job %s, want %s", c.queue.name, text, id, c.id)
		}
	}
}
