package lint

import (
	"path"
	"slices"
	"strings"

	"github.com/retryc/retryc/generator/internal/plan"
	"github.com/retryc/retryc/spec/diag"
)

// outputFolder keeps the output below the folder of the spec, and where Go looks for packages.
var outputFolder = Rule{"RC331", "output_folder", func(p *plan.Plan, list *diag.List) {
	g := p.Spec.Generate
	for _, f := range []struct {
		dir   string
		pos   diag.Pos
		width int
	}{{g.Go.V, g.Go.Pos, g.Go.Width}, {g.MigrationsDir.V, g.MigrationsDir.Pos, g.MigrationsDir.Width}} {
		if f.pos.Valid() && leaves(f.dir) {
			list.Errorf("RC331", f.pos, f.width, "the folder %s is not below the folder of this file", f.dir).Hint = "move this file up, or name a folder below it, without .."
		}
	}
	if elem := ignored(g.Go.V); g.Go.Set() && elem != "" {
		list.Errorf("RC331", g.Go.Pos, g.Go.Width, "Go looks for no packages in a folder that is called %s", elem).Hint = "choose another folder, such as internal/" + p.Package
	}
}}

func leaves(dir string) bool {
	clean := path.Clean(strings.ReplaceAll(dir, `\`, "/"))
	return path.IsAbs(clean) || clean == ".." || strings.HasPrefix(clean, "../")
}

// ignored is the part of dir that makes the go command pass over it.
func ignored(dir string) string {
	parts := strings.Split(path.Clean(dir), "/")
	i := slices.IndexFunc(parts, func(e string) bool {
		return e == "testdata" || e == "vendor" || strings.HasPrefix(e, "_") || strings.HasPrefix(e, ".") && strings.Trim(e, ".") != ""
	})
	if i < 0 {
		return ""
	}
	return parts[i]
}
