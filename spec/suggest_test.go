package spec

import "testing"

func TestKeysOnTheWrongLevelKnowTheirHome(t *testing.T) {
	for key, want := range map[string]string{"poll": "worker", "lease": "queues.<name>", "unmatched": "", "redact": "ledger.error_detail"} {
		home := homes()[key]
		if len(home) != 1 || home[0] != want {
			t.Errorf("home of %s = %q, want %q", key, home, want)
		}
	}
}

func TestBracketThatALineLeavesOpen(t *testing.T) {
	for line, want := range map[string]int{
		"a: {b: [c]": 4, "a: {b: c}": 0, `a: "{"`: 0, "a: '{' # {": 0, "a: [']', b": 4, "a: [b": 4, `a: ["\"]", {`: 4,
	} {
		col, _, _ := openBracket([]rune(line))
		if col != want {
			t.Errorf("the open bracket of %s is at %d, want %d", line, col, want)
		}
	}
}
