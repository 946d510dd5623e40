package lint_test

import (
	"testing"

	"github.com/retryc/retryc/spec/spectest"
)

func TestFoldersThatGoImportsAndThoseItDoesNot(t *testing.T) {
	for dir, fine := range map[string]bool{
		".": true, "./x": true, "a/../b": true, "internal": true, "x/": true, "a.b/c-d_e~f+g": true, "v2": true, "X": true,
		"my jobs": false, "größe": false, "x@v1": false, "-x": false, "...": false, "a.": false, "con": false, "a/nul.x": false,
		"~/jobs": false, "$HOME/jobs": false, "a*b": false, `a'b`: false, " jobs": false, `a\nb`: false, ".x": false, "..": false,
	} {
		findings := check(spectest.Overlay(`generate: {package: jobs, go: "` + dir + "\"}\n"))
		if fine != (len(findings) == 0) || len(findings) > 1 {
			t.Errorf("%q: %v", dir, findings)
		}
	}
}

// A migration tool takes every file of its folder for a migration.
func TestScriptsOfADeployStandApartFromMigrations(t *testing.T) {
	for dialect, want := range map[string]int{"sqlite": 0, "postgres": 1} {
		findings := check(spectest.Overlay("generate: {package: db, go: db/x/.., migrations: {dir: ./db}}\nledger: {dialect: " + dialect + "}\n"))
		if len(findings) != want {
			t.Errorf("%s: %v", dialect, findings)
		}
	}
}

// Migrations and TypeScript are no Go package, but a path with a variable in it is no path.
func TestFoldersThatAreNotOfGo(t *testing.T) {
	for dir, fine := range map[string]bool{"my db": true, "größe": true, "testdata": true, "~/db": false, "$DB": false, "db ": false, "../db": false} {
		for _, generate := range []string{`migrations: {dir: "` + dir + `"}`, `typescript: "` + dir + `"`} {
			findings := check(spectest.Overlay("generate: {package: jobs, go: jobs, " + generate + "}\n"))
			if fine != (len(findings) == 0) {
				t.Errorf("%s: %v", generate, findings)
			}
		}
	}
}
