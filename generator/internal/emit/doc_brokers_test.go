package emit

import (
	"strings"
	"testing"
)

// docOf is the package doc as one line.
func docOf(t *testing.T, spec string) string {
	t.Helper()
	return strings.Join(strings.Fields(strings.ReplaceAll(emitted(t, planOf(t, onPostgres(spec)), "jobs/doc_gen.go"), "//", "")), " ")
}

func TestTheDocSaysWhatMessagesAreWorth(t *testing.T) {
	const (
		announced = "A message only says which attempt of a job is due"
		lost      = "A message that is lost is a job that is lost"
		alone     = "Add jobs from anywhere, alone or in a transaction of your own."
	)
	mixed := carried + "  d: {payload: {id: string}, backend: {infrai: {key_env: C_KEY, queue: other}}}\n"
	for spec, want := range map[string][3]bool{
		brokers:                      {true, false, true},
		carried:                      {false, true, false},
		mixed:                        {true, true, true},
		"queues: {a: {payload: {}}}": {false, false, true},
	} {
		doc := docOf(t, spec)
		for i, text := range []string{announced, lost, alone} {
			if strings.Contains(doc, text) != want[i] {
				t.Errorf("%q should be there: %t, in the doc of\n%s", text, want[i], spec)
			}
		}
	}
}

func TestTheDocHasTheLimitsAndTheDeadLettersOfEachQueue(t *testing.T) {
	doc := docOf(t, carried)
	for _, want := range []string{
		"a: at Amazon SQS, which takes a message of up to 1048576 bytes and keeps it for 4d, or for up to 14d where MessageRetentionPeriod says so",
		"b: at RabbitMQ, which takes a message of up to 16777216 bytes and keeps it until it is removed",
		"The messages of a and b go to the dead letters of the broker as well",
		`{"retryc": 1, "queue": "a", "job_id": "…", "generation": 1, "attempt": 1, "schema": "…", "payload": {…}}`,
	} {
		if !strings.Contains(doc, want) {
			t.Errorf("there is no %q", want)
		}
	}
	if keyed := docOf(t, strings.Replace(carried, "payload: {}", "payload: {id: string}, idempotency_key: [id]", 1)); !strings.Contains(keyed, `"attempt": 1, "key": "[…]", "schema"`) {
		t.Error("the message of a queue with a key has none")
	}
	if plain := docOf(t, strings.ReplaceAll(carried, ", native_dead_letter: true", "")); strings.Contains(plain, "dead letters of the broker") {
		t.Error("the dead letters of brokers are in the doc of queues without")
	}
}

func TestAnEnqueueOfAMessageTellsWhatItDoes(t *testing.T) {
	text := strings.Join(strings.Fields(strings.ReplaceAll(emitted(t, planOf(t, onPostgres(carried)), "jobs/queues_gen.go"), "//", "")), " ")
	for _, want := range []string{
		"EnqueueA adds a job to the queue a once Amazon SQS has its message.",
		"EnqueueAMany adds jobs to the queue a. Where it returns an error, any of them may be there.",
		"ConnectB sends the jobs of the queue b on the queue b at RabbitMQ",
		"RedriveBMessages moves at most limit of the messages that lie in the dead letters of RabbitMQ back",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("there is no %q in\n%s", want, text)
		}
	}
}
