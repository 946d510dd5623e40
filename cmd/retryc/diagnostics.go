package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/retryc/retryc/generator"
)

// writeDiagnostics renders what was found in the spec.
func writeDiagnostics(w io.Writer, format, path string, r *generator.Result) error {
	return r.Diagnostics.Write(w, format, path, r.Document.Source)
}

// jsonResult is the JSON form of generate and check. Its keys are a contract: none is ever renamed or left out.
type jsonResult struct {
	Spec        string          `json:"spec"`
	OK          bool            `json:"ok"`          // the exit code is 0
	Diagnostics json.RawMessage `json:"diagnostics"` // what was found in the spec
	Files       []jsonFile      `json:"files"`       // empty if the spec has an error
}

type jsonFile struct {
	Path   string `json:"path"` // relative to the folder of the spec
	State  string `json:"state"`
	Action string `json:"action"` // what generate does: keep, write or remove
	Lines  int    `json:"lines"`
	Bytes  int    `json:"bytes"`
	Advice string `json:"advice"`
}

func writeJSON(w io.Writer, path string, r *generator.Result, ok bool) error {
	var findings bytes.Buffer
	if err := r.Diagnostics.JSON(&findings, path); err != nil {
		return err
	}
	out := jsonResult{Spec: path, OK: ok, Diagnostics: findings.Bytes(), Files: []jsonFile{}}
	for _, f := range r.Files {
		out.Files = append(out.Files, jsonFile{f.Path, string(f.State), string(f.Action), f.Lines, f.Bytes, f.Advice})
	}
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	return enc.Encode(out)
}

// writeFileAnnotations renders files as workflow commands, beside those of the diagnostics.
func writeFileAnnotations(w io.Writer, path string, files []generator.File) error {
	p := &printer{w: w, spec: path}
	data := strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A")
	property := strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A", ":", "%3A", ",", "%2C")
	for _, l := range labels {
		for _, f := range files {
			if f.State != l.state {
				continue
			}
			advice := f.Advice
			if advice == "" {
				advice = "run retryc generate"
			}
			p.printf("::error file=%s,title=%s::%s\n", property.Replace(filepath.ToSlash(p.path(f))), l.label,
				data.Replace(fmt.Sprintf("%s\n%s", l.means, advice)))
		}
	}
	return p.err
}
