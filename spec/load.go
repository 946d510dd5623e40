package spec

import (
	"bytes"
	"fmt"
	"io"
	"os"

	"github.com/retryc/retryc/spec/diag"
)

// maxBytes bounds a spec file. A policy that people review is far below it.
const maxBytes = 1 << 20

// Load reads and checks the file at path. Without an error there is always a document, in which what could not be read is
// left unset. The error is that of the file system, and says nothing of the contents.
func Load(path string) (*Document, diag.List, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, nil, fmt.Errorf("cannot read the spec: %w", err)
	}
	defer f.Close()
	// One byte more than is allowed, so that Parse sees a file that is too large without all of it being read.
	src, err := io.ReadAll(io.LimitReader(f, maxBytes+1))
	if err != nil {
		return nil, nil, fmt.Errorf("cannot read the spec: %w", err)
	}
	doc, findings := Parse(path, src)
	return doc, findings, nil
}

// Parse checks src and reads it as far as it can. It gives all findings at once, in the order of the file, and each
// of them points into src. The path only names the document.
func Parse(path string, src []byte) (*Document, diag.List) {
	p := &parser{doc: &Document{Path: path, Source: src, Refused: map[diag.Pos]bool{}}}
	if root := p.tree(src); root != nil {
		p.shape(root)
		p.document(root)
	}
	p.findings.Sort()
	return p.doc, p.findings
}

// parser is one run over one file.
type parser struct {
	doc      *Document
	findings diag.List
	lines    []string // of the source, without their ends
	runes    [][]rune // the same, for columns
}

// tree is the file as values, or nil where it cannot be told what was meant.
func (p *parser) tree(src []byte) *value {
	src = bytes.TrimPrefix(src, []byte(utf8BOM))
	if !p.raw(src) {
		return nil
	}
	node := p.yaml(src)
	if node == nil {
		return nil
	}
	p.doc.Ignores = p.ignores(src, node)
	return p.walk(node)
}

// at is a place that is inside the file, whatever the reader of YAML said.
func (p *parser) at(line, col int) diag.Pos {
	line = min(max(line, 1), len(p.lines))
	return diag.Pos{Line: line, Col: min(max(col, 1), len(p.runes[line-1])+1)}
}

// error adds an error.
func (p *parser) error(code string, pos diag.Pos, width int, hint, format string, args ...any) *diag.Diagnostic {
	d := p.findings.Errorf(code, pos, width, format, args...)
	d.Hint = hint
	return d
}
