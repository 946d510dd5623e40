package plan

import (
	"strings"
	"unicode"

	"github.com/retryc/retryc/spec"
)

// goRef reads io.ErrUnexpectedEOF, *encoding/json.SyntaxError or ErrSourceDeleted: the name stands after the last
// dot behind the last slash. as says that it is a type.
func (b *builder) goRef(at spec.Name, as bool) *GoRef {
	rest, pointer := strings.CutPrefix(at.V, "*")
	ref := &GoRef{Pointer: pointer, Name: rest, At: at}
	slash := strings.LastIndexByte(rest, '/')
	if dot := strings.LastIndexByte(rest, '.'); dot > slash {
		ref.Path, ref.Name = rest[:dot], rest[dot+1:]
	} else if slash >= 0 {
		errorAt(b, "RC220", at, "%q has no name after its import path", at.V).Hint = "write the import path, a dot and the exported name: encoding/json.SyntaxError"
		return nil
	}
	switch {
	case ref.Path == "" && !strings.Contains(rest, "."):
		return ref
	case !plausiblePath(ref.Path):
		errorAt(b, "RC220", at, "%q is not an import path", ref.Path).Hint = "write the path as an import line has it, without quotes: encoding/json.SyntaxError"
		return nil
	case !isExported(ref.Name):
		errorAt(b, "RC220", at, "%q is not a name that package %s can export", ref.Name, ref.Path).Hint = "exported Go names begin with an upper-case letter"
		return nil
	}
	if !b.judge(ref, as) {
		return nil
	}
	ref.Import = b.plan.Names.importName(ref.Path, at)
	return ref
}

// plausiblePath accepts what can stand in an import line of a program that does not vendor by hand.
func plausiblePath(path string) bool {
	for elem := range strings.SplitSeq(path, "/") {
		if elem == "" || strings.Trim(elem, ".") == "" || strings.ContainsFunc(elem, notInPath) {
			return false
		}
	}
	return path != "main" && path != "C"
}

func notInPath(r rune) bool {
	return r > unicode.MaxASCII || !(unicode.IsLetter(r) || unicode.IsDigit(r) || strings.ContainsRune("-._~+", r))
}
