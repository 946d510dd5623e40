// Package schema holds the published contract of retry.yaml, format 1: a JSON Schema that editors can read and that
// package spec enforces.
package schema

import _ "embed"

// FileName is the name under which the schema is published, and which a spec's first comment may point at.
const FileName = "retry.v1.schema.json"

// V1 is the text of the schema of format 1 (JSON Schema, draft 2020-12).
//
//go:embed retry.v1.schema.json
var V1 []byte
