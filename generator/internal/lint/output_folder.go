package lint

import (
	"path"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"github.com/retryc/retryc/generator/internal/plan"
	"github.com/retryc/retryc/spec/diag"
)

// outputFolder keeps the output below the folder of the spec, the package where Go looks for it, and scripts that are run
// at each deploy away from migrations.
var outputFolder = Rule{"RC331", "output_folder", func(p *plan.Plan, list *diag.List) {
	g := p.Spec.Generate
	for _, f := range []struct {
		dir   string
		pos   diag.Pos
		width int
	}{{g.Go.V, g.Go.Pos, g.Go.Width}, {g.TypeScript.V, g.TypeScript.Pos, g.TypeScript.Width}, {g.Alerts.V, g.Alerts.Pos, g.Alerts.Width}, {g.MigrationsDir.V, g.MigrationsDir.Pos, g.MigrationsDir.Width}} {
		if !f.pos.Valid() {
			continue
		}
		if leaves(f.dir) {
			list.Errorf("RC331", f.pos, f.width, "the folder %s is not below the folder of this file", f.dir).Hint = "move this file up, or name a folder below it, without .."
			continue
		}
		if elem := anyPart(f.dir, unnatural); elem != "" {
			list.Errorf("RC331", f.pos, f.width, "no folder should be called %q", elem).Hint = "write the path itself: no variables, no ~ for a home folder, no stray spaces"
			return
		}
	}
	if !g.Go.Set() {
		return
	}
	if p.Ledger.Dialect.Roles && p.GoDir == p.MigrationsDir {
		list.Errorf("RC331", g.Go.Pos, g.Go.Width, "a migration tool would find grants_gen.sql among the migrations in %s, and it is none", p.GoDir).Hint =
			"choose another folder for one of them"
	}
	hint := "choose another folder, such as internal/" + p.Package
	if elem := anyPart(g.Go.V, ignored); elem != "" {
		list.Errorf("RC331", g.Go.Pos, g.Go.Width, "Go looks for no packages in a folder that is called %s", elem).Hint = hint
	} else if elem := anyPart(g.Go.V, unimportable); elem != "" {
		list.Errorf("RC331", g.Go.Pos, g.Go.Width, "Go imports no package from a folder that is called %q", elem).Hint = hint
	}
}}

func leaves(dir string) bool {
	clean := path.Clean(strings.ReplaceAll(dir, `\`, "/"))
	return path.IsAbs(clean) || clean == ".." || strings.HasPrefix(clean, "../")
}

// anyPart is the first part of dir for which is holds; "" where there is none.
func anyPart(dir string, is func(elem string) bool) string {
	parts := strings.Split(path.Clean(dir), "/")
	if i := slices.IndexFunc(parts, is); i >= 0 {
		return parts[i]
	}
	return ""
}

// unnatural are names that a shell would have turned into others, that break a line, or that no file system takes.
func unnatural(elem string) bool {
	return elem == "~" || strings.TrimSpace(elem) != elem || len(elem) > 255 ||
		strings.ContainsFunc(elem, func(r rune) bool { return r == '$' || r == '*' || r == '?' || unicode.IsControl(r) })
}

// ignored are names that make the go command pass over a folder.
func ignored(elem string) bool {
	return elem == "testdata" || elem == "vendor" || strings.HasPrefix(elem, "_") || strings.HasPrefix(elem, ".") && strings.Trim(elem, ".") != ""
}

// unimportable are names that cannot stand in an import path: those with other characters, and those that Windows
// keeps for devices.
func unimportable(elem string) bool {
	if elem == "." || elem == ".." { // of a cleaned path, only the folder of this file itself
		return false
	}
	device, _, _ := strings.Cut(strings.ToLower(elem), ".")
	return !importable.MatchString(elem) || devices.MatchString(device)
}

var (
	importable = regexp.MustCompile(`^[A-Za-z0-9+~_]([A-Za-z0-9+~_.-]*[A-Za-z0-9+~_-])?$`)
	devices    = regexp.MustCompile(`^(con|prn|aux|nul|com[0-9]|lpt[0-9])$`)
)
