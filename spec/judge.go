package spec

import (
	"errors"
	"strings"
	"sync"

	"github.com/santhosh-tekuri/jsonschema/v5"
)

// complaints are what the schema's checker has against a file. Nearly all of a large file is queues, which do not depend
// on each other: they are dealt out to n checks that run side by side.
func complaints(file map[string]any, n int) []*jsonschema.ValidationError {
	parts := shares(file, n)
	found := make([]*jsonschema.ValidationError, len(parts))
	var all sync.WaitGroup
	for i, part := range parts {
		all.Go(func() { errors.As(contract().compiled.Validate(part), &found[i]) })
	}
	all.Wait()
	var out []*jsonschema.ValidationError
	for i, e := range found {
		switch {
		case e == nil:
		case i == 0:
			out = append(out, e)
		default:
			out = append(out, inQueues(e)...)
		}
	}
	return out
}

// shares deals the queues out: the first share has all other sections as well, the others have nothing else.
func shares(file map[string]any, n int) []map[string]any {
	const worthIt = 32 // queues
	queues, _ := file["queues"].(map[string]any)
	if n < 2 || len(queues) < worthIt {
		return []map[string]any{file}
	}
	dealt := make([]map[string]any, n)
	for i := range dealt {
		dealt[i] = map[string]any{}
	}
	next := 0
	for name, queue := range queues { // in any order: findings are sorted by where they point
		dealt[next%n][name] = queue
		next++
	}
	parts := make([]map[string]any, n)
	for i := range parts {
		parts[i] = map[string]any{"queues": dealt[i]}
	}
	for section, value := range file {
		if section != "queues" {
			parts[0][section] = value
		}
	}
	return parts
}

// inQueues are those of the causes of e, or e itself, that are about what is in the queues.
func inQueues(e *jsonschema.ValidationError) []*jsonschema.ValidationError {
	if strings.HasPrefix(e.InstanceLocation, "/queues/") {
		return []*jsonschema.ValidationError{e}
	}
	var out []*jsonschema.ValidationError
	for _, cause := range e.Causes {
		out = append(out, inQueues(cause)...)
	}
	return out
}
