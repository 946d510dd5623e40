package generator

import (
	"github.com/retryc/retryc/generator/internal/emit"
	"github.com/retryc/retryc/spec"
)

// PayloadSchema is the JSON Schema of the payload of a queue that the spec at path has. There is none if the spec has an
// error; that is in the result.
func PayloadSchema(path, queue string) ([]byte, *Result, error) {
	doc, p, _, findings, err := resolve(path)
	if err != nil {
		return nil, nil, err
	}
	result := &Result{Document: doc, Diagnostics: findings}
	if findings.HasErrors() {
		return nil, result, nil
	}
	for _, q := range p.Queues {
		if q.Name.V == queue {
			text, err := emit.PayloadSchema(q)
			return text, result, err
		}
	}
	return nil, nil, noQueue(path, queue, p.Queues)
}

// Queues are the names of the queues of the spec at path, as far as it can be read.
func Queues(path string) (names []string) {
	doc, _, err := spec.Load(path)
	if err != nil {
		return nil
	}
	for _, q := range doc.Queues {
		names = append(names, q.Name.V)
	}
	return names
}
