package emit

import (
	"bytes"
	"path"
	"slices"
	"strings"
)

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

// importName is the name under which a line of an import makes its package known.
func importName(line string) string {
	if name, _, _ := strings.Cut(line, `"`); name != "" {
		return strings.TrimSpace(name)
	}
	return path.Base(importPath(line))
}
