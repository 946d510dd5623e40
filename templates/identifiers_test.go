package templates

import (
	"go/token"
	"testing"
)

func TestIdentifiersAreThoseOfTheCopiedFiles(t *testing.T) {
	ids := IdentifiersOf("sqlite")
	for name, file := range map[string]string{
		"Permanent":      "worker/marks.go",
		"ErrLeaseLost":   "worker/errors.go",
		"classCrashed":   "worker/classify.go",
		"failures":       "worker/tables.go",
		"Open":           "_backends/sqlite/open.go",
		"responseError":  "worker/errors_response.go",
		"queueTable":     "worker/tables.go",
		"markRetryAfter": "worker/marks.go",
	} {
		if ids.Declared[name] != file {
			t.Errorf("%s is declared in %q, want %q", name, ids.Declared[name], file)
		}
	}
	if ids.Imported["http"] != "net/http" {
		t.Errorf("http is imported as %q", ids.Imported["http"])
	}
	for _, method := range []string{"Unwrap", "StatusCode", "OnCommit"} {
		if file, found := ids.Declared[method]; found {
			t.Errorf("the method %s counts as a name of the package, from %s", method, file)
		}
	}
}

// An error of a standard package can be named in retry.yaml, and its package keeps its name.
func TestTheRuntimeDeclaresNoNameOfAStandardPackageWithErrors(t *testing.T) {
	for _, dialect := range []string{"sqlite"} {
		ids := IdentifiersOf(dialect)
		for _, name := range []string{
			"asn1", "base32", "base64", "bufio", "bytes", "bzip2", "context", "csv", "driver", "dwarf", "elf", "errors", "exec", "flate", "fs",
			"gob", "gzip", "hex", "hpack", "http", "httputil", "io", "json", "lzw", "mail", "mime", "multipart", "net", "netip", "os", "parse",
			"pem", "plugin", "png", "regexp", "rpc", "rsa", "scanner", "smtp", "sql", "strconv", "syntax", "syscall", "tar", "template",
			"textproto", "time", "tls", "url", "user", "x509", "xml", "zip", "zlib", "jpeg", "image",
		} {
			if file, found := ids.Declared[name]; found {
				t.Errorf("%s declares %s, which shadows a standard package", file, name)
			}
		}
		for name := range ids.Imported {
			if file, found := ids.Declared[name]; found {
				t.Errorf("%s declares %s, which another file imports", file, name)
			}
			if !token.IsIdentifier(name) {
				t.Errorf("%q is read as the name of an import", name)
			}
		}
	}
}

func TestLocalFilesAreNotCopied(t *testing.T) {
	for file, want := range map[string]bool{
		"worker/decide_local.go": true, "worker/standin_local_test.go": true, "worker/decide.go": false, "worker/decide_test.go": false,
	} {
		if Local(file) != want {
			t.Errorf("Local(%s) = %v", file, !want)
		}
	}
}
