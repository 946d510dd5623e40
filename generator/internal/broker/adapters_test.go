package broker

import (
	"go/ast"
	"go/constant"
	"go/parser"
	"go/token"
	"go/types"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// figures are the constants of the adapters that say what the catalogue says.
var figures = map[string]int64{
	"sqsMaxDelay":    int64(SQS.Limits.Delay),
	"sqsLongPoll":    int64(SQS.Limits.Wait),
	"sqsMaxHidden":   int64(SQS.Limits.Lease),
	"sqsBatch":       int64(SQS.Limits.Batch),
	"sqsBatchBytes":  int64(SQS.Limits.BatchBytes),
	"rabbitLongest":  int64(RabbitMQ.Limits.Delay),
	"infraiMaxDelay": int64(Infrai.Limits.Delay),
	"infraiMaxBody":  int64(Infrai.Limits.Body),

	"infraiRetention": int64(Infrai.Limits.DefaultRetention / (24 * time.Hour)),
	"infraiReturns":   int64(Infrai.Limits.DefaultReceives - 1), // how often a message comes again
}

func TestAdaptersHaveTheFiguresOfTheCatalogue(t *testing.T) {
	found := map[string]int64{}
	for _, b := range All {
		files, err := filepath.Glob("../../../templates/_brokers/" + b.Name + "/*.go")
		if err != nil || len(files) == 0 {
			t.Fatalf("%s has no adapter: %v", b.Name, err)
		}
		for _, file := range files {
			constants(t, file, found)
		}
	}
	for name, want := range figures {
		if got, there := found[name]; !there || got != want {
			t.Errorf("the adapters have %s = %d (%t), the catalogue %d", name, got, there, want)
		}
	}
}

func TestTheAdapterOfRabbitMQHasTheStepsOfTheCatalogue(t *testing.T) {
	file, err := parser.ParseFile(token.NewFileSet(), "../../../templates/_brokers/rabbitmq/rabbitmq_delay.go", nil, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	var steps []time.Duration
	ast.Inspect(file, func(n ast.Node) bool {
		v, is := n.(*ast.ValueSpec)
		if !is || v.Names[0].Name != "rabbitSteps" {
			return true
		}
		for _, step := range v.Values[0].(*ast.CompositeLit).Elts {
			text := strings.Replace(types.ExprString(step), "rabbitLongest", "24 * time.Hour", 1)
			value, err := types.Eval(token.NewFileSet(), nil, token.NoPos, units.Replace(text))
			if err != nil {
				t.Fatal(err)
			}
			d, _ := constant.Int64Val(value.Value)
			steps = append(steps, time.Duration(d))
		}
		return false
	})
	if !slices.Equal(steps, RabbitMQ.Limits.Steps) {
		t.Errorf("the adapter has the steps %v, the catalogue %v", steps, RabbitMQ.Limits.Steps)
	}
}

// units stand for those of package time, of which an expression is evaluated without importing it.
var units = strings.NewReplacer("time.Second", "1000000000", "time.Minute", "60000000000", "time.Hour", "3600000000000")

// constants adds the constants of a file that are whole numbers or durations.
func constants(t *testing.T, path string, found map[string]int64) {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	for _, decl := range file.Decls {
		group, is := decl.(*ast.GenDecl)
		if !is || group.Tok != token.CONST {
			continue
		}
		for _, s := range group.Specs {
			c := s.(*ast.ValueSpec)
			for i, value := range c.Values {
				v, err := types.Eval(token.NewFileSet(), nil, token.NoPos, units.Replace(types.ExprString(value)))
				if err != nil {
					continue // made of other names
				}
				if n, exact := constant.Int64Val(constant.ToInt(v.Value)); exact {
					found[c.Names[i].Name] = n
				}
			}
		}
	}
}
