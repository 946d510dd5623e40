package emit

import (
	"bytes"
	"errors"
	goruntime "runtime"
	"strings"
	"sync"

	"github.com/dave/jennifer/jen"

	"github.com/retryc/retryc/generator/internal/plan"
)

// slots bounds how many sections are in the making at a time: more than there are processors would only take memory.
var slots = make(chan struct{}, goruntime.NumCPU())

// perQueue makes a section of every few queues.
func perQueue(p *plan.Plan, fill func(f *jen.File, q *plan.Queue)) []section {
	const few = 16
	var sections []section
	for first := 0; first < len(p.Queues); first += few {
		queues := p.Queues[first:min(first+few, len(p.Queues))]
		sections = append(sections, func(f *jen.File) {
			for _, q := range queues {
				fill(f, q)
			}
		})
	}
	return sections
}

// partsOf renders each section as a file of its own and takes it apart.
func partsOf(p *plan.Plan, sections []section) ([]part, error) {
	parts, errs := make([]part, len(sections)), make([]error, len(sections))
	var all sync.WaitGroup
	for i, fill := range sections {
		slots <- struct{}{}
		all.Go(func() {
			defer func() { <-slots }()
			f := newFile(p)
			fill(f)
			var b bytes.Buffer
			errs[i] = f.Render(&b)
			parts[i] = partOf(p.Package, b.Bytes())
		})
	}
	all.Wait()
	return parts, errors.Join(errs...)
}

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

// oneImportEach reports whether the parts call every package by one name, and no two by the same, so that they can stand
// in one file.
func oneImportEach(parts []part) bool {
	lines, names := map[string]string{}, map[string]string{}
	for _, part := range parts {
		for _, line := range part.imports {
			at, name := importPath(line), importName(line)
			if lines[at] != "" && lines[at] != line || names[name] != "" && names[name] != at {
				return false
			}
			lines[at], names[name] = line, at
		}
	}
	return true
}
