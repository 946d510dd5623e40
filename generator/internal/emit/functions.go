package emit

import (
	"fmt"
	"path"
	"strings"

	"github.com/retryc/retryc/generator/internal/plan"
)

// functions makes enqueue_functions_gen.sql, where the dialect has such: a function a queue, for producers in any
// language. It says nothing of the policy, so that a change of a ladder does not change it.
func functions(p *plan.Plan) ([]File, error) {
	if !p.Ledger.Dialect.Functions || len(p.Queues) == 0 {
		return nil, nil
	}
	text, err := fill(p, "functions", functionsDataOf(p))
	if err != nil {
		return nil, err
	}
	return []File{{Path: path.Join(p.GoDir, "enqueue_functions_gen.sql"), Data: []byte(text)}}, nil
}

type functionsData struct {
	sqlData
	Prefix string
	Queues []sqlFunction // none: there are no functions
}

func functionsDataOf(p *plan.Plan) functionsData {
	data := functionsData{sqlData: sqlDataOf(p), Prefix: p.Ledger.Prefix}
	if p.Ledger.Dialect.Functions {
		for _, q := range p.Queues {
			data.Queues = append(data.Queues, sqlFunctionOf(p, q))
		}
	}
	return data
}

// sqlFunction is the function of a queue.
type sqlFunction struct {
	Function, Name, SchemaHash string
	Fields, Key                []sqlField
	Copies                     []sqlCopy
	KeyNote                    string
}

// sqlField is a field of the payload. Its type is one that JSON Schema has, or time, uuid or any.
type sqlField struct {
	Name, Type string
	Required   bool
}

// sqlCopy is a column with what of the payload it holds.
type sqlCopy struct{ Column, Value string }

func sqlFunctionOf(p *plan.Plan, q *plan.Queue) sqlFunction {
	f := sqlFunction{Function: q.SQLFunction, Name: q.Name.V, SchemaHash: schemaHash(q.Payload), KeyNote: keyNote(q)}
	for _, field := range q.Payload.Fields {
		f.Fields = append(f.Fields, sqlField{field.Name.V, sqlTypes[field.Type.Kind], field.Required()})
	}
	for _, field := range q.Key {
		f.Key = append(f.Key, sqlField{field.Name.V, sqlTypes[field.Type.Kind], true})
	}
	if q.TenantID != nil {
		f.Copies = append(f.Copies, sqlCopy{"tenant_id", sqlText(q.TenantID)})
	}
	if q.Tier != nil {
		f.Copies = append(f.Copies, sqlCopy{"tier", sqlText(q.Tier)})
	}
	for i, field := range q.Columns {
		if field == nil {
			continue
		}
		value, column := sqlValue(field), p.Ledger.Columns[i]
		if column.Type != "text" {
			if field.Default == nil {
				value = "(" + value + ")"
			}
			value += "::" + p.Ledger.Dialect.Types[column.Type].Name
		}
		f.Copies = append(f.Copies, sqlCopy{column.Name.V, value})
	}
	return f
}

var sqlTypes = map[plan.Kind]string{
	plan.String: "string", plan.Enum: "string", plan.Bytes: "string", plan.Time: "time", plan.UUID: "uuid",
	plan.Int: "integer", plan.Int64: "integer", plan.Float64: "number", plan.Bool: "boolean",
	plan.List: "array", plan.Map: "object", plan.Object: "object", plan.JSON: "any",
}

// sqlText is a field as the text that tenant_id and tier have: an empty one is null there.
func sqlText(f *plan.Field) string {
	switch f.Type.Kind {
	case plan.Int, plan.Int64:
		return "((" + sqlValue(f) + ")::bigint)::text" // -0 is 0
	}
	return "nullif(" + sqlValue(f) + ", '')"
}

// sqlValue is a field of the payload as text: its default where it is left out.
func sqlValue(f *plan.Field) string {
	value := fmt.Sprintf("payload ->> '%s'", f.Name.V)
	if f.Default == nil {
		return value
	}
	return fmt.Sprintf("coalesce(%s, %s)", value, sqlLiteral(fmt.Sprint(f.Default)))
}

// sqlLiteral is s between quotes, with nothing in it that could end these or the body of a function.
func sqlLiteral(s string) string {
	if !strings.ContainsAny(s, "\\$\n\t") && printable(s) {
		return "'" + strings.ReplaceAll(s, "'", "''") + "'"
	}
	var b strings.Builder
	b.WriteString("e'")
	for _, r := range s {
		switch {
		case r == '\'':
			b.WriteString("''")
		case r < ' ' || r == '\\' || r == '$':
			fmt.Fprintf(&b, `\x%02x`, r)
		case !printable(string(r)):
			fmt.Fprintf(&b, `\U%08x`, r)
		default:
			b.WriteRune(r)
		}
	}
	return b.String() + "'"
}
