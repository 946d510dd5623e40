package emit

import (
	"go/ast"
	"go/constant"
	"go/parser"
	"go/token"
	"strings"
	"testing"
	"time"
)

func TestRawIsTheSameText(t *testing.T) {
	for _, s := range []string{"", "plain", `a\d`, "two\nlines", "tick ` \\", "\r\n", "\x00\\", "é\u2028\\", "\ufeff\\", "\xff\\", `"`} {
		e, err := parser.ParseExpr(raw(s).GoString())
		if err != nil {
			t.Errorf("%q: %v", s, err)
			continue
		}
		if got := constant.StringVal(constant.MakeFromLiteral(e.(*ast.BasicLit).Value, token.STRING, 0)); got != s {
			t.Errorf("%q became %q", s, got)
		}
	}
}

func TestDuration(t *testing.T) {
	for d, want := range map[time.Duration]string{
		time.Hour:               "time.Hour",
		48 * time.Hour:          "48 * time.Hour",
		90 * time.Minute:        "90 * time.Minute",
		time.Minute:             "time.Minute",
		1500 * time.Millisecond: "1500 * time.Millisecond",
		time.Nanosecond:         "1",
	} {
		if got := duration(d).GoString(); got != want {
			t.Errorf("%s: %s, want %s", d, got, want)
		}
	}
}

func TestWrap(t *testing.T) {
	got := strings.Join(wrap("one two  three ünüsual averylongwordindeed x", 11), "|")
	if want := "one two|three|ünüsual|averylongwordindeed|x"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}
