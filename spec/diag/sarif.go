package diag

import (
	"encoding/json"
	"io"
	"net/url"
	"path/filepath"
	"slices"
	"strings"
)

// What SARIF 2.1.0 makes of findings: a log with one run, in which each result names its rule.
type (
	sarifLog struct {
		Schema  string     `json:"$schema"`
		Version string     `json:"version"`
		Runs    []sarifRun `json:"runs"`
	}
	sarifRun struct {
		Tool       sarifTool     `json:"tool"`
		ColumnKind string        `json:"columnKind"`
		Results    []sarifResult `json:"results"`
	}
	sarifTool struct {
		Driver sarifDriver `json:"driver"`
	}
	sarifDriver struct {
		Name           string      `json:"name"`
		Version        string      `json:"version"`
		InformationURI string      `json:"informationUri"`
		Rules          []sarifRule `json:"rules"`
	}
	sarifRule struct {
		ID    string    `json:"id"`
		Short sarifText `json:"shortDescription"`
		Full  sarifText `json:"fullDescription"`
		Help  sarifHelp `json:"help"`
	}
	sarifText struct {
		Text string `json:"text"`
	}
	sarifHelp struct {
		Text     string `json:"text"`
		Markdown string `json:"markdown"`
	}
	sarifResult struct {
		RuleID       string             `json:"ruleId"`
		RuleIndex    int                `json:"ruleIndex"`
		Level        string             `json:"level"`
		Message      sarifText          `json:"message"`
		Locations    []sarifLocation    `json:"locations"`
		Related      []sarifLocation    `json:"relatedLocations,omitempty"`
		Suppressions []sarifSuppression `json:"suppressions"`
	}
	sarifLocation struct {
		ID       int           `json:"id,omitempty"`
		Physical sarifPhysical `json:"physicalLocation"`
		Message  *sarifText    `json:"message,omitempty"`
	}
	sarifPhysical struct {
		Artifact sarifArtifact `json:"artifactLocation"`
		Region   *sarifRegion  `json:"region,omitempty"`
	}
	sarifArtifact struct {
		URI string `json:"uri"`
	}
	sarifRegion struct {
		StartLine   int `json:"startLine"`
		StartColumn int `json:"startColumn"`
		EndColumn   int `json:"endColumn"`
	}
	sarifSuppression struct {
		Kind          string `json:"kind"`
		Justification string `json:"justification"`
	}
)

// SARIF renders the findings, those that are ignored among them, as a log of SARIF 2.1.0, which code scanning services read. The
// version is that of the tool.
func (l List) SARIF(w io.Writer, file, version string) error {
	run := sarifRun{ColumnKind: "unicodeCodePoints", Results: []sarifResult{}}
	run.Tool.Driver = sarifDriver{Name: "retryc", Version: version, InformationURI: "https://github.com/retryc/retryc", Rules: sarifRules(l)}
	for _, d := range l {
		r := sarifResult{
			RuleID: d.Code, Level: d.Severity.String(), Message: sarifText{d.Message},
			RuleIndex:    slices.IndexFunc(run.Tool.Driver.Rules, func(r sarifRule) bool { return r.ID == d.Code }),
			Locations:    []sarifLocation{sarifPlace(file, d.Pos, d.Width)},
			Suppressions: []sarifSuppression{},
		}
		if d.Hint != "" {
			r.Message.Text += "\n" + d.Hint
		}
		if d.Related != nil {
			other := sarifPlace(file, d.Related.Pos, d.Related.Width)
			other.ID, other.Message = 1, &sarifText{d.Related.Message}
			r.Related = append(r.Related, other)
		}
		if d.Ignored != "" {
			r.Suppressions = append(r.Suppressions, sarifSuppression{"inSource", d.Ignored})
		}
		run.Results = append(run.Results, r)
	}
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	return enc.Encode(sarifLog{
		Schema: "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json", Version: "2.1.0", Runs: []sarifRun{run},
	})
}

// sarifRules are the rules of the findings, by code, with their texts from the catalogue.
func sarifRules(l List) []sarifRule {
	rules := []sarifRule{}
	for _, code := range Codes() {
		if !slices.ContainsFunc(l, func(d Diagnostic) bool { return d.Code == code }) {
			continue
		}
		text, _ := Explain(code)
		_, body, _ := strings.Cut(text, "\n")
		body = strings.TrimSpace(body)
		prose, _, _ := strings.Cut(body, "\n\n```")
		rules = append(rules, sarifRule{code, sarifText{Title(code)}, sarifText{strings.ReplaceAll(prose, "\n", " ")}, sarifHelp{body, body}})
	}
	return rules
}

func sarifPlace(file string, pos Pos, width int) sarifLocation {
	path := url.URL{Path: filepath.ToSlash(file)}
	if filepath.IsAbs(file) {
		path.Scheme, path.Path = "file", "/"+strings.TrimPrefix(path.Path, "/")
	}
	place := sarifPhysical{Artifact: sarifArtifact{path.String()}}
	if pos.Valid() {
		place.Region = &sarifRegion{pos.Line, pos.Col, end(pos, width)}
	}
	return sarifLocation{Physical: place}
}
