package worker

// invalidPayload is one breach of the rules that retry.yaml has for a payload.
type invalidPayload struct{ field, problem string }

func (e *invalidPayload) Error() string { return e.field + " " + e.problem }
