package emit

import (
	"strings"
	"testing"
)

func TestTheLastFailureOfALadderIsTheCapsOrItsEnd(t *testing.T) {
	p := planOf(t, strings.Replace(minimal("caps: {attempts: 3}\nqueues: {}"), "rungs: [1s]", "rungs: [1s, 2s, 3s, 4s]", 1))
	wantIn(t, emitted(t, p, "jobs/policy_gen_test.go"), `{"a", &aLadder, []span{ {time.Second, time.Second}, {2 * time.Second, 2 * time.Second}, }},`)
}

func TestClassRowsFollowTheOrderOfTheClasses(t *testing.T) {
	src := emitted(t, planOf(t, minimal(`unmatched: permanent
error_classes:
  - {name: first, outcome: permanent, when: [{http: [500, 404]}, {is: ErrA}, {message: '^sqlstate 08'}]}
  - {name: second, outcome: transient, budget: throttles, when: [{http: 5xx}, {http: 404}, {sqlstate: "08006"}, {sqlstate: "40*"}]}
  - {name: third, outcome: transient, when: [{is: ErrA}, {timeout: true}, {is: context.DeadlineExceeded}, {crash: true}, {payload: invalid}]}
queues: {}
`)), "jobs/policy_gen_test.go")
	wantIn(t, src,
		`{httpSample(500), "first", permanent, failures},`,
		`{ErrA, "first", permanent, failures},`,
		`{textSample("sqlstate 08"), "first", permanent, failures},`,
		`{httpSample(501), "second", transient, throttles},`,
		`{httpSample(404), "first", permanent, failures}, {sqlStateSample("40000"), "second"`,
		`{ErrA, "first", permanent, failures}, {timeoutSample{}, "third", transient, failures}, {context.DeadlineExceeded, "third"`,
		`{errTimeout, "third", transient, failures},`,
		`{errCrashed, "third", transient, crashes},`,
		`{errPanic, "panic", permanent, failures},`,
		`{errInvalid, "third", transient, failures},`,
		`{errors.New("something else"), "unmatched", permanent, failures},`)
	if strings.Contains(src, `sqlStateSample("08006")`) {
		t.Error("a row for an error that a message matches only as long as it is not wrapped")
	}
}

func TestANetErrorIsKnownByItsTypes(t *testing.T) {
	src := emitted(t, planOf(t, minimal(`error_classes:
  - {name: net, outcome: transient, when: [{as: net.Error}]}
  - {name: late, outcome: permanent, when: [{as: "*net.OpError"}, {is: os.ErrDeadlineExceeded}, {as: "*encoding/json.SyntaxError"}]}
queues: {}
`)), "jobs/policy_gen_test.go")
	wantIn(t, src, `{zeroSample[*net.OpError](), "net", transient, failures}, {os.ErrDeadlineExceeded, "net", transient, failures},
		{zeroSample[*json.SyntaxError](), "late", permanent, failures}, {errTimeout, "timeout", transient, failures},`)
}

func TestTextFor(t *testing.T) {
	for pattern, want := range map[string]string{
		"connection reset":           "connection reset",
		`(?i)Too\s+Many`:             "too many",
		`^(?:foo|bar)[0-9]{3,}\b x$`: "foo000 x",
		`a?b*c+(d)`:                  "cd",
		`.`:                          "x",
		`[^a]`:                       "0",
		`x*`:                         "",
		`a\bb`:                       "",
	} {
		if got, found := textFor(pattern); found != (want != "") || found && got != want {
			t.Errorf("%s: %q (%t), want %q", pattern, got, found, want)
		}
	}
}

func TestJobID(t *testing.T) {
	// python3: h = sha256(len(q).to_bytes(8,'big') + q + k).digest()[:16], then version 8 and the variant are set
	if got, want := jobID("thumbnails", `["evt_1"]`), "40e97027-70e3-8c83-a74c-e506ae6403e8"; got != want {
		t.Errorf("job_id %s, want %s", got, want)
	}
}

func TestKeyTextEscapesAsLittleAsJSONAllows(t *testing.T) {
	if got, want := jsonText("a\"\\\b\t\n\x01\u2028<é>"), `"a\"\\\b\t\n\u0001`+"\u2028"+`<é>"`; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}
