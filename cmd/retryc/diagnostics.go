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
	Blocked     bool            `json:"blocked"`     // a person has to settle a file, and generate writes nothing before
	Notes       []string        `json:"notes"`       // what the change means for jobs that are enqueued already
	Unchanged   int             `json:"unchanged"`   // how many files are as they should be
	Files       []jsonFile      `json:"files"`       // the others; empty if the spec has an error
}

type jsonFile struct {
	Path   string `json:"path"` // relative to the folder of the spec
	State  string `json:"state"`
	Action string `json:"action"` // what generate does, once nothing is blocked: keep, write, remove or record
	Lines  int    `json:"lines"`
	Bytes  int    `json:"bytes"`
	Code   string `json:"code"`   // what retryc explain takes; empty where it has no more to say
	Advice string `json:"advice"` // what to do next; empty if generate has done it
}

// writeJSON also takes whether the exit code is 0, and whether what generate does to the files is still to be done.
func writeJSON(w io.Writer, path string, r *generator.Result, ok, toDo bool) error {
	var findings bytes.Buffer
	if err := r.Diagnostics.JSON(&findings, path); err != nil {
		return err
	}
	out := jsonResult{Spec: path, OK: ok, Diagnostics: findings.Bytes(), Blocked: r.Blocked, Notes: append([]string{}, r.Notes...), Files: []jsonFile{}}
	for _, f := range r.Files {
		if f.State == generator.Unchanged {
			out.Unchanged++
			continue
		}
		advice := ""
		if toDo {
			advice = adviceFor(r, f)
		}
		out.Files = append(out.Files, jsonFile{f.Path, string(f.State), string(f.Action), f.Lines, f.Bytes, f.Code, advice})
	}
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	return enc.Encode(out)
}

// adviceFor is what to do about a file that is not as it should be.
func adviceFor(r *generator.Result, f generator.File) string {
	switch {
	case f.Advice != "":
		return f.Advice
	case r.Blocked:
		return "settle the files that are blocked, then run retryc generate"
	}
	return "run retryc generate"
}

// writeFileAnnotations renders files and notes as workflow commands, beside those of the diagnostics.
func writeFileAnnotations(w io.Writer, path string, r *generator.Result, files []generator.File) error {
	p := &printer{w: w, spec: path}
	data := strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A")
	property := strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A", ":", "%3A", ",", "%2C")
	for _, l := range labels {
		for _, f := range files {
			if f.State != l.state {
				continue
			}
			p.printf("::error file=%s,title=%s::%s\n", property.Replace(filepath.ToSlash(p.path(f))), l.label,
				data.Replace(fmt.Sprintf("%s\n%s", l.means, adviceFor(r, f))))
		}
	}
	for _, note := range r.Notes {
		p.printf("::warning file=%s::%s\n", property.Replace(filepath.ToSlash(path)), data.Replace(note))
	}
	return p.err
}
