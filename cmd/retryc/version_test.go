package main

import (
	"runtime/debug"
	"testing"
)

func TestModuleVersion(t *testing.T) {
	ours := debug.Module{Path: modulePath, Version: "v1.2.3"}
	for name, tt := range map[string]struct {
		info *debug.BuildInfo
		want string
	}{
		"built by go install":          {&debug.BuildInfo{Main: ours}, "v1.2.3"},
		"a tool of another module":     {&debug.BuildInfo{Main: debug.Module{Path: "example.com/shop"}, Deps: []*debug.Module{&ours}}, "v1.2.3"},
		"replaced by a checkout":       {&debug.BuildInfo{Deps: []*debug.Module{{Path: modulePath, Version: "v0.0.0", Replace: &debug.Module{}}}}, "(devel)"},
		"built without its build info": {nil, "(devel)"},
	} {
		t.Run(name, func(t *testing.T) {
			if got := moduleVersion(tt.info); got != tt.want {
				t.Errorf("got %s, want %s", got, tt.want)
			}
		})
	}
}
