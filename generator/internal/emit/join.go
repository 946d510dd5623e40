package emit

import (
	"bytes"
	"slices"
	"strings"
)

// part is a piece of a file: what it imports, as the lines are written, and its declarations.
type part struct {
	imports []string
	body    []byte
}

// partOf takes a formatted file apart that has nothing above its package clause.
func partOf(pkg string, src []byte) part {
	src = bytes.TrimPrefix(src, []byte("package "+pkg+"\n"))
	src = bytes.TrimLeft(src, "\n")
	var imports []string
	if rest, block := bytes.CutPrefix(src, []byte("import (\n")); block {
		lines, body, _ := bytes.Cut(rest, []byte(")\n"))
		for line := range strings.Lines(string(lines)) {
			imports = append(imports, strings.TrimSpace(line))
		}
		src = body
	} else if rest, one := bytes.CutPrefix(src, []byte("import ")); one {
		line, body, _ := bytes.Cut(rest, []byte("\n"))
		imports, src = []string{string(line)}, body
	}
	return part{imports, bytes.TrimLeft(src, "\n")}
}

// joined is one file of the package pkg, made of parts.
func joined(pkg string, parts []part) []byte {
	var b bytes.Buffer
	size := 1 << 10 // more than the head takes
	for _, p := range parts {
		size += len(p.body) + 1
	}
	b.Grow(size)
	b.WriteString("// " + header + "\n\npackage " + pkg + "\n")
	imports := importsOf(parts)
	switch len(imports) {
	case 0:
	case 1:
		b.WriteString("\nimport " + imports[0] + "\n")
	default:
		b.WriteString("\nimport (\n")
		for i, line := range imports {
			if i > 0 && !standardImport(line) && standardImport(imports[i-1]) {
				b.WriteString("\n")
			}
			b.WriteString("\t" + line + "\n")
		}
		b.WriteString(")\n")
	}
	for _, p := range parts {
		if len(p.body) > 0 {
			b.WriteString("\n")
			b.Write(p.body)
		}
	}
	return b.Bytes()
}

// importsOf are the import lines of all parts, those of the standard library first.
func importsOf(parts []part) []string {
	var all []string
	for _, p := range parts {
		all = append(all, p.imports...)
	}
	slices.SortFunc(all, func(a, b string) int {
		if standardImport(a) != standardImport(b) {
			return map[bool]int{true: -1, false: 1}[standardImport(a)]
		}
		return strings.Compare(importPath(a), importPath(b))
	})
	return slices.Compact(all)
}

func standardImport(line string) bool { return standard(importPath(line)) }

// importPath is the path in a line of an import.
func importPath(line string) string {
	_, rest, _ := strings.Cut(line, `"`)
	importPath, _, _ := strings.Cut(rest, `"`)
	return importPath
}
