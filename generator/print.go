package generator

import "github.com/retryc/retryc/generator/internal/resolved"

// Print is the resolved policy of the spec at path as JSON. There is none if the spec has an error; that is in the result.
func Print(path string) ([]byte, *Result, error) {
	doc, p, _, findings, err := resolve(path)
	if err != nil {
		return nil, nil, err
	}
	result := &Result{Document: doc, Diagnostics: findings}
	if findings.HasErrors() {
		return nil, result, nil
	}
	return resolved.Of(p).Encode(), result, nil
}
