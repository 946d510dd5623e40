package plan

import (
	"fmt"

	"github.com/retryc/retryc/spec"
	"github.com/retryc/retryc/spec/diag"
)

// didYouMean is a hint with the candidate that is nearest to word, or otherwise where none is near.
func didYouMean(word string, candidates []string, otherwise string) string {
	if near := diag.Nearest(word, candidates); near != "" {
		return fmt.Sprintf("did you mean %s?", near)
	}
	return otherwise
}

func relatedAt[T any](at spec.At[T], message string) *diag.Related {
	return &diag.Related{Pos: at.Pos, Width: at.Width, Message: message}
}
