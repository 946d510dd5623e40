package generator_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/retryc/retryc/generator/internal/migrate"
)

// Prometheus takes the rules, whatever the spec asks for, and its own tool finds that each of them comes and stays quiet as it should.
func TestAlertRulesPassTheTestsOfPrometheus(t *testing.T) {
	promtool, err := exec.LookPath("promtool")
	if err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatal("promtool is not there: it comes with Prometheus")
		}
		t.Skip("needs promtool, which comes with Prometheus")
	}
	const all = "failure_visible_within: 10m, oldest_message: 10m, dead_letter_growth: 5/h, new_fingerprint: true, last_rung: true"
	observed := goldenSpec(t, "observed_prometheus")
	before, _, _ := strings.Cut(observed, "slo:")
	with := func(slo string) string { return before + "slo: {" + slo + "}\nledger: {dialect: sqlite}\n" }
	for name, text := range map[string]string{
		"the golden case":       observed,
		"all queues alike":      with(all),
		"the shortest times":    with("failure_visible_within: 3m, oldest_message: 1m, dead_letter_growth: 0/h"),
		"odd times":             with("failure_visible_within: 7m1s, oldest_message: 90s, dead_letter_growth: 1/d"),
		"long times":            with("failure_visible_within: 1d, oldest_message: 2d, dead_letter_growth: 999999/d"),
		"one queue alone":       with("queues: {weekly.digest: {" + all + "}}"),
		"nothing to be told of": with(""),
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			for _, f := range filesAfter(t, migrate.Folder{}, []byte(text)) {
				if strings.HasPrefix(f.Path, "alerts/") {
					write(t, filepath.Join(dir, filepath.Base(f.Path)), string(f.Data))
				}
			}
			for _, args := range [][]string{{"check", "rules", "--lint-fatal", "retryc_alerts_gen.yaml"}, {"test", "rules", "retryc_alerts_test_gen.yaml"}} {
				command(t, dir, promtool, args...)
			}
			rules, err := os.ReadFile(filepath.Join(dir, "retryc_alerts_gen.yaml"))
			if err != nil {
				t.Fatal(err)
			}
			tests, err := os.ReadFile(filepath.Join(dir, "retryc_alerts_test_gen.yaml"))
			if err != nil {
				t.Fatal(err)
			}
			if made, tried := strings.Count(string(rules), "- alert: "), strings.Count(string(tests), "exp_alerts:"); made != tried {
				t.Errorf("%d alerts, of which %d are seen to come", made, tried)
			}
		})
	}
}

// Each alert is needed by a test of its own: without what it looks at, or with a threshold that is never passed, promtool complains.
func TestTestsOfTheAlertRulesCanFail(t *testing.T) {
	promtool, err := exec.LookPath("promtool")
	if err != nil {
		t.Skip("needs promtool: see above")
	}
	rules, err := os.ReadFile(filepath.Join(golden, "observed_prometheus", "alerts", "retryc_alerts_gen.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	tests, err := os.ReadFile(filepath.Join(golden, "observed_prometheus", "alerts", "retryc_alerts_test_gen.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	for _, edit := range [][2]string{
		{"unless", "and"}, {"> 600", "> 500"}, {"> 600", ">= 700"}, {"> 7200", "> 7201"}, {"> 5\n", "> 50\n"}, {"> 20\n", "> 0\n"}, {"< 900", "< 4000"}, {"for: 3m20s", "for: 20m"}, {"for: 3m20s", "for: 10s"},
		{"last_rungs_total{queue=\"invoices\"}[15m])) > 0", "last_rungs_total{queue=\"invoices\"}[45m])) > 0"}, {"overdue_jobs{queue=\"invoices\"}) > 0", "overdue_jobs{queue=\"invoices\"}) > 1"},
		{"for: 5m", "for: 1m"}, {`absent(retryc_due_jobs{queue="invoices"})`, `absent(retryc_due_jobs{queue="invoices"} > 0)`}, {`class="unmatched"`, `class!="unmatched"`},
	} {
		dir := t.TempDir()
		if !strings.Contains(string(rules), edit[0]) {
			t.Fatalf("no rule has %q", edit[0])
		}
		write(t, filepath.Join(dir, "retryc_alerts_gen.yaml"), strings.Replace(string(rules), edit[0], edit[1], 1))
		write(t, filepath.Join(dir, "retryc_alerts_test_gen.yaml"), string(tests))
		cmd := exec.Command(promtool, "test", "rules", "retryc_alerts_test_gen.yaml")
		cmd.Dir = dir
		if out, err := cmd.CombinedOutput(); err == nil {
			t.Errorf("%q in place of %q is not noticed:\n%s", edit[1], edit[0], out)
		}
	}
}
