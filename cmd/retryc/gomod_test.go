package main

import "testing"

func TestModulePathOf(t *testing.T) {
	for name, tt := range map[string]struct{ text, want string }{
		"plain":           {"module example.com/shop\n\ngo 1.24\n", "example.com/shop"},
		"after a comment": {"// module of old\nmodule example.com/shop // the shop\n", "example.com/shop"},
		"quoted":          {"module \"example.com/shop\"\n", "example.com/shop"},
		"back quotes":     {"module `example.com/shop`\n", "example.com/shop"},
		"in parentheses":  {"module (\n\texample.com/shop\n)\n", "example.com/shop"},
		"CR LF":           {"module example.com/shop\r\ngo 1.24\r\n", "example.com/shop"},
		"not first":       {"go 1.24\n\nmodule example.com/shop\n", "example.com/shop"},
		"none":            {"go 1.24\nrequire modules.example v1.0.0\n", ""},
		"empty":           {"", ""},
	} {
		t.Run(name, func(t *testing.T) {
			if got := modulePathOf(tt.text); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

func TestModuleNames(t *testing.T) {
	m := module{text: "require (\n\tmodernc.org/sqlite v1.2.3\n)\ntool \"github.com/retryc/retryc/cmd/retryc\"\n"}
	for path, want := range map[string]bool{
		"modernc.org/sqlite": true, modulePath + "/cmd/retryc": true, "modernc.org/sql": false, modulePath: false,
	} {
		if got := m.names(path); got != want {
			t.Errorf("names(%q) = %v", path, got)
		}
	}
}
