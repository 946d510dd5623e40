package generator_test

import (
	"bytes"
	"fmt"
	"go/format"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/retryc/retryc/generator"
	"github.com/retryc/retryc/generator/internal/emit"
	"github.com/retryc/retryc/generator/internal/lint"
	"github.com/retryc/retryc/generator/internal/migrate"
	"github.com/retryc/retryc/generator/internal/plan"
	"github.com/retryc/retryc/spec"
)

// sizes are how many queues the benchmarked specs have.
var sizes = []int{10, 100, 1000, 5000}

// BenchmarkStages takes each stage by itself.
func BenchmarkStages(b *testing.B) {
	for _, n := range sizes {
		src := specOf(n)
		doc, _ := spec.Parse("retry.yaml", src)
		p, _ := plan.New(doc)
		for _, stage := range []struct {
			name string
			run  func()
		}{
			{"load", func() { spec.Parse("retry.yaml", src) }},
			{"plan", func() { plan.New(doc) }},
			{"lint", func() { lint.Check(p) }},
			{"emit", func() { _, _ = emit.Files(p) }},
		} {
			b.Run(fmt.Sprintf("%s/queues=%d", stage.name, n), func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					stage.run()
				}
			})
		}
	}
}

// BenchmarkGenerate is the whole run, from the bytes of a spec to the files in memory. Its metric x-gofmt is how many
// times as long it takes as formatting the same Go files once more, which is measured in between.
func BenchmarkGenerate(b *testing.B) {
	for _, n := range sizes {
		src := specOf(n)
		b.Run(fmt.Sprintf("queues=%d", n), func(b *testing.B) {
			b.ReportAllocs()
			var files []emit.File
			var whole, floor time.Duration
			for b.Loop() {
				start := time.Now()
				files = filesOf(b, src)
				whole += time.Since(start)
				b.StopTimer()
				start = time.Now()
				gofmt(b, files)
				floor += time.Since(start)
				b.StartTimer()
			}
			b.ReportMetric(float64(whole)/float64(floor), "x-gofmt")
		})
	}
}

// BenchmarkNoChange is a run that finds all files as they should be and writes nothing.
func BenchmarkNoChange(b *testing.B) {
	for _, n := range sizes {
		b.Run(fmt.Sprintf("queues=%d", n), func(b *testing.B) {
			path := filepath.Join(b.TempDir(), "retry.yaml")
			if err := os.WriteFile(path, specOf(n), 0o644); err != nil {
				b.Fatal(err)
			}
			if _, err := generator.Generate(path, generator.Options{}); err != nil {
				b.Fatal(err)
			}
			b.ReportAllocs()
			for b.Loop() {
				if r, err := generator.Generate(path, generator.Options{}); err != nil || r.Diagnostics.HasErrors() || r.Drift() {
					b.Fatal("not what the first run left", err)
				}
			}
		})
	}
}

// BenchmarkDiff is the comparison of two specs, from their bytes to the text of the report: of their queues, every second one
// has another field, and all have other attempts.
func BenchmarkDiff(b *testing.B) {
	for _, n := range sizes[:3] {
		before := specOf(n)
		after := bytes.ReplaceAll(before, []byte("attempts: 6"), []byte("attempts: 4"))
		after = regexp.MustCompile(`(order-event-[0-9]*[02468]:\n    payload: \{)`).ReplaceAll(after, []byte("${1}note: {type: string, optional: true}, "))
		b.Run(fmt.Sprintf("queues=%d", n), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				d := generator.Diff(generator.Source{Name: "before", Text: before}, generator.Source{Name: "after", Text: after})
				if d.Report == nil || d.Report.Text(io.Discard) != nil {
					b.Fatal(d.Base.Diagnostics, d.Head.Diagnostics)
				}
			}
		})
	}
}

// filesOf is a run in memory.
func filesOf(tb testing.TB, src []byte) []emit.File { return filesAfter(tb, migrate.Folder{}, src) }

// filesAfter is one where there are migrations already.
func filesAfter(tb testing.TB, folder migrate.Folder, src []byte) []emit.File {
	tb.Helper()
	doc, findings := spec.Parse("retry.yaml", src)
	p, more := plan.Next(doc, folder)
	findings = append(findings, more...)
	p, more = lint.Check(p)
	findings = append(findings, more...)
	if findings.HasErrors() {
		var text bytes.Buffer
		findings.Text(&text, "retry.yaml", src)
		tb.Fatal(text.String())
	}
	files, err := emit.Files(p)
	if err != nil {
		tb.Fatal(err)
	}
	return files
}

// gofmt formats the Go files once more, one after the other.
func gofmt(b *testing.B, files []emit.File) {
	for _, f := range files {
		if !strings.HasSuffix(f.Path, ".go") {
			continue
		}
		if _, err := format.Source(f.Data); err != nil {
			b.Fatal(err)
		}
	}
}

// specOf is the policy of the flagship case with n queues.
func specOf(n int) []byte {
	flagship, err := os.ReadFile(filepath.Join(golden, "flagship", "retry.yaml"))
	if err != nil {
		panic(err) // the file is in the repository
	}
	head, rest, _ := strings.Cut(string(flagship), "\nqueues:\n")
	_, tail, _ := strings.Cut(rest, "\nworker:")
	var out strings.Builder
	out.WriteString(head + "\nqueues:\n")
	for i := range n {
		fmt.Fprintf(&out, `  order-event-%d:
    payload: {event_id: string, merchant_id: string, plan: {type: string, optional: true}, width: {type: int, default: 640}}
    idempotency_key: [event_id]
`, i)
	}
	out.WriteString("worker:" + tail)
	return []byte(out.String())
}
