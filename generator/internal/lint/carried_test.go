package lint_test

import (
	"strings"
	"testing"
)

// codes are those of the findings about a queue whose payloads are in messages. What rest holds comes after the dialect.
func codes(broker, queue, ladder, rest string) string {
	var found []string
	for _, d := range check([]byte(`version: 1
generate: {package: jobs, go: internal/jobs}
ladders: {standard: {rungs: ` + ladder + `, jitter: none}}
default_ladder: standard
queues:
  a: {payload: {id: string}, backend: {` + strings.Replace(broker, "}", ", payload_in: message}", 1) + `}` + queue + `}
ledger: {dialect: postgres` + rest)) {
		found = append(found, d.Code+" "+d.Severity.String())
	}
	return strings.Join(found, " ")
}

const (
	atSQS    = "sqs: {queue_url_env: A_URL}"
	atRabbit = "rabbitmq: {url_env: A_URL}"
	atInfrai = "infrai: {key_env: A_KEY}"
	keyed    = ", idempotency_key: [id]"
)

func TestWhatIsOverIsKnownByTheKeyOrByTheAttempts(t *testing.T) {
	for _, c := range []struct{ queue, retention, want string }{
		{keyed, "retention: {attempts: 3d, keys: 400d}", ""},
		{keyed, "retention: {attempts: 3d}", "RC356 warning"},
		{"", "retention: {attempts: 3d, keys: 400d}", "RC355 warning RC356 warning"},
		{"", "retention: {attempts: 14d}", "RC355 warning"},
	} {
		if got := codes(atSQS, c.queue, "[30s]", ", "+c.retention+"}\n"); got != c.want {
			t.Errorf("%s%s: %q, want %q", c.retention, c.queue, got, c.want)
		}
	}
}

// Throttles repeat the last rung, up to a million times.
func TestALadderThatIsRepeatedIsCountedToItsEnd(t *testing.T) {
	const class = "}\nerror_classes: [{name: busy, outcome: transient, when: [{http: 429}], budget: throttles}]\n"
	for caps, want := range map[string]string{
		"throttles: 500, window: 30d":      "",              // 500 times ten minutes are three and a half days
		"throttles: 700, window: 30d":      "RC350 warning", // five
		"throttles: 1000000, window: 30d":  "RC350 error",
		"throttles: 1000000, window: 95h":  "",
		"throttles: 1000000, window: 300h": "RC350 warning",
	} {
		if got := codes(atSQS, keyed, "[10m]", class+"caps: {"+caps+"}\n"); got != want {
			t.Errorf("%s: %q, want %q", caps, got, want)
		}
	}
}

func TestRabbitMQKeepsMessagesForEver(t *testing.T) {
	for broker, want := range map[string]string{atRabbit: "", atSQS: "RC350 error", atInfrai: "RC350 error"} {
		if got := codes(broker, keyed, "[1h, 100d]", "}\ncaps: {delay: 100d, window: 300d}\n"); got != want {
			t.Errorf("%s: %q, want %q", broker, got, want)
		}
	}
}
