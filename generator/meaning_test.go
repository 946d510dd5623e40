package generator_test

import (
	"go/scanner"
	"go/token"
	"regexp"
	"strings"
	"testing"

	"github.com/retryc/retryc/generator/internal/migrate"
)

// meaning is what a spec gives rise to, by file, without what only speaks of it: comments, the doc, hashes, records and tests.
func meaning(t *testing.T, folder migrate.Folder, src []byte) map[string]string {
	t.Helper()
	files := map[string]string{}
	for _, f := range filesAfter(t, folder, src) {
		switch {
		case strings.HasSuffix(f.Path, "doc_gen.go"), strings.HasSuffix(f.Path, "_test.go"), strings.HasSuffix(f.Path, ".json"), strings.HasSuffix(f.Path, "_test_gen.yaml"):
			files[f.Path] = "" // its name counts
		case strings.HasSuffix(f.Path, ".go"):
			files[f.Path] = hashes.ReplaceAllString(goTokens(t, f.Path, f.Data), "$1")
		case strings.HasSuffix(f.Path, ".sql"):
			files[f.Path] = sqlHash.ReplaceAllString(sqlComment.ReplaceAllString(string(f.Data), ""), "")
		case strings.HasSuffix(f.Path, ".yaml"):
			files[f.Path] = string(f.Data)
		case strings.HasSuffix(f.Path, ".ts"):
			files[f.Path] = tsComment.ReplaceAllString(string(f.Data), "")
		default:
			t.Fatalf("nobody has said what means something in %s", f.Path)
		}
	}
	return files
}

// hashes are the two that stand in policy_gen.go; each changes with its part of the spec whether or not anything else does.
var hashes = regexp.MustCompile(`(\b(?:hash|schema) : )"[0-9a-f]+"`)

// sqlHash is the one that stands in enqueue_functions_gen.sql.
var sqlHash = regexp.MustCompile(`schema constant text := '[0-9a-f]+'`)

var sqlComment = regexp.MustCompile(`(?m)--.*$`)

var tsComment = regexp.MustCompile(`(?s)/\*\*.*?\*/`)

// goTokens are the tokens of a Go file, one blank between them. The SQL in it has no comments either.
func goTokens(t *testing.T, name string, src []byte) string {
	t.Helper()
	var s scanner.Scanner
	fset := token.NewFileSet()
	s.Init(fset.AddFile(name, fset.Base(), len(src)), src, func(pos token.Position, msg string) { t.Fatalf("%s: %s", pos, msg) }, 0)
	var out strings.Builder
	for {
		_, tok, text := s.Scan()
		switch {
		case tok == token.EOF:
			return out.String()
		case tok == token.STRING && strings.HasPrefix(text, "`"):
			text = sqlComment.ReplaceAllString(text, "")
		case text == "":
			text = tok.String()
		}
		out.WriteString(text + " ")
	}
}
