package emit

import (
	"path"

	"github.com/retryc/retryc/generator/internal/plan"
)

// functions makes enqueue_functions_gen.sql, where the dialect has such: a function or procedure for each queue whose payloads are rows, for producers in any
// language. It says nothing of the policy, so that a change of a ladder does not change it.
func functions(p *plan.Plan) ([]File, error) {
	data := functionsDataOf(p)
	if len(data.Queues) == 0 {
		return nil, nil
	}
	text, err := fill(p, "functions", data)
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
	for _, q := range p.Queues {
		if q.SQLFunction != "" {
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

// sqlCopy is a column with the field of the payload that it holds. An empty text of a tenant is null.
type sqlCopy struct {
	sqlField
	Column, As, SQLType string // its type, as retry.yaml calls it and as the database does
	Tenant              bool
	HasDefault          bool
	Default             any
}

func sqlFunctionOf(p *plan.Plan, q *plan.Queue) sqlFunction {
	f := sqlFunction{Function: q.SQLFunction, Name: q.Name.V, SchemaHash: schemaHash(q.Payload), KeyNote: keyNote(q)}
	for _, field := range q.Payload.Fields {
		f.Fields = append(f.Fields, sqlFieldOf(field))
	}
	for _, field := range q.Key {
		f.Key = append(f.Key, sqlFieldOf(field))
	}
	copied := func(column, as string, field *plan.Field, tenant bool) {
		if field != nil {
			f.Copies = append(f.Copies, sqlCopy{sqlFieldOf(field), column, as, p.Ledger.Dialect.Types[as].Name, tenant, hasDefault(field), field.Default})
		}
	}
	copied("tenant_id", "text", q.TenantID, true)
	copied("tier", "text", q.Tier, true)
	for i, field := range q.Columns {
		copied(p.Ledger.Columns[i].Name.V, p.Ledger.Columns[i].Type, field, false)
	}
	return f
}

func sqlFieldOf(f *plan.Field) sqlField {
	return sqlField{f.Name.V, sqlTypes[f.Type.Kind], f.Required()}
}

var sqlTypes = map[plan.Kind]string{
	plan.String: "string", plan.Enum: "string", plan.Bytes: "string", plan.Time: "time", plan.UUID: "uuid",
	plan.Int: "integer", plan.Int64: "integer", plan.Float64: "number", plan.Bool: "boolean",
	plan.List: "array", plan.Map: "object", plan.Object: "object", plan.JSON: "any",
}
