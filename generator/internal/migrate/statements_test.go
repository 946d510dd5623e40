package migrate

import "testing"

func TestSameSQL(t *testing.T) {
	for _, tt := range []struct {
		name, a, b string
		want       bool
	}{
		{"the same", "create table t (a int);", "create table t (a int);", true},
		{"other white space", "create table t (\n  a int,\n\tb int\n);\n", "create table t(a int,b int);", true},
		{"other line ends", "create table t\r\n(a int);\r\n", "create table t\n(a int);\n", true},
		{"a comment more", "-- the jobs\ncreate table t (a int); -- one row, one job", "create table t (a int);", true},
		{"a block comment between two words", "create/* x */table t;", "create table t;", true},
		{"a comment with a quote in it", "-- it's here\nselect 1;", "select 1;", true},
		{"another name", "create table t (a int);", "create table u (a int);", false},
		{"a column more", "create table t (a int);", "create table t (a int, b int);", false},
		{"words run together", "create table t (a int not null);", "create table t (a int notnull);", false},
		{"operators run together", "check (a <= 1)", "check (a < = 1)", false},
		{"case", "create table T (a int);", "create table t (a int);", false},

		{"white space in a string", "default 'a  b'", "default 'a b'", false},
		{"a comment sign in a string", "default 'a -- b'", "default 'a'", false},
		{"a block comment sign in a string", "default 'a /* b */'", "default 'a '", false},
		{"a doubled quote in a string", "default 'it''s -- x'", "default 'it''s -- y'", false},
		{"white space in a quoted identifier", `create table "a  b" (c int)`, `create table "a b" (c int)`, false},
		{"a comment sign in a quoted identifier", `select "a--b"`, `select "a--c"`, false},
		{"a comment sign in back quotes", "select `a--b`", "select `a--c`", false},
		{"a comment after a string", "default 'a' -- b", "default 'a'", true},
		{"a typed string is not two tokens", "default x'00'", "default x '00'", false},
		{"a function body in dollars", "as $f$ begin -- one\nend $f$", "as $f$ begin -- two\nend $f$", false},
		{"a comment beside such a body", "as $$ begin end $$ -- x", "as $$ begin end $$", true},
		{"placeholders are words", "values ($1, $2) -- x", "values ($1, $2)", true},
		{"a dollar in a name opens nothing", "select a$b$ -- x", "select a$b$", true},

		{"an annotation that is gone", "-- +goose Up\nselect 1;\n-- +goose Down\ndrop table t;", "-- +goose Up\nselect 1;\ndrop table t;", false},
		{"an annotation that moved", "-- +goose Up\na;\n-- +goose Down\nb;", "-- +goose Up\na;\nb;\n-- +goose Down", false},
		{"an annotation in other white space", "--+goose  Up\nselect 1;", "-- +goose Up\n\nselect 1;", true},
		{"a hint is obeyed", "select /*+ a */ 1", "select 1", false},
		{"an executable comment is obeyed", "select /*! a */ 1", "select 1", false},

		// Where dialects disagree, only the very same text is the same.
		{"a backslash, the same text", `default 'a\' -- x`, `default 'a\' -- x`, true},
		{"a backslash, another comment", `default 'it\'s -- x'`, `default 'it\'s -- y'`, false},
		{"a quote that never ends", "default 'a -- x", "default 'a -- y", false},
		{"a nested comment", "/* a /* b */ c; */ d;", "/* a /* b */ e; */ d;", false},
		{"a comment that never ends", "a /* b", "a /* c", false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := SameSQL([]byte(tt.a), []byte(tt.b)); got != tt.want {
				t.Errorf("SameSQL(%q, %q) = %v", tt.a, tt.b, got)
			}
			if got := SameSQL([]byte(tt.b), []byte(tt.a)); got != tt.want {
				t.Errorf("SameSQL(%q, %q) = %v", tt.b, tt.a, got)
			}
			if got := Sum([]byte(tt.a)) == Sum([]byte(tt.b)); got != tt.want {
				t.Errorf("the sums of %q and %q are the same: %v", tt.a, tt.b, got)
			}
		})
	}
}

func FuzzSameSQL(f *testing.F) {
	f.Add("create table t (a text default 'x -- y'); -- z", "$a$ b $a$")
	f.Add("a$b$ /* c */ [d] \"e\"\"f\"", "-- +goose Up\n`g`")
	f.Fuzz(func(t *testing.T, a, b string) {
		if !SameSQL([]byte(a), []byte(a)) {
			t.Errorf("%q is not the same as itself", a)
		}
		if SameSQL([]byte(a), []byte(b)) != SameSQL([]byte(b), []byte(a)) {
			t.Errorf("%q and %q depend on their order", a, b)
		}
	})
}
