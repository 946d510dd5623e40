package generator

import "github.com/retryc/retryc/generator/internal/resolved"

// Print is the resolved policy of the spec at path as JSON. There is none if the spec has an error; that is in the result.
func Print(path string) ([]byte, *Result, error) {
	result, p, _, err := resolve(path)
	if err != nil {
		return nil, nil, err
	}
	if result.Diagnostics.HasErrors() {
		return nil, result, nil
	}
	return resolved.Of(p).Encode(), result, nil
}
