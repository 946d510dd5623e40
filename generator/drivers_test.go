package generator

import (
	"os"
	"slices"
	"strings"
	"testing"
)

// The versions are those that golden/ is tested with.
func TestDriversAreThoseOfTheDatabaseTheBrokersAndTheObservers(t *testing.T) {
	mod, err := os.ReadFile("../golden/go.mod")
	if err != nil {
		t.Fatal(err)
	}
	for spec, want := range map[string][]string{
		"brokers":             {"github.com/jackc/pgx/v5", "github.com/aws/aws-sdk-go-v2/service/sqs", "github.com/rabbitmq/amqp091-go"},
		"traced":              {"modernc.org/sqlite", "go.opentelemetry.io/otel", "go.opentelemetry.io/otel/metric", "go.opentelemetry.io/otel/trace"},
		"observed_prometheus": {"modernc.org/sqlite", "github.com/prometheus/client_golang"},
	} {
		result, err := Check("../golden/" + spec + "/retry.yaml")
		if err != nil {
			t.Fatal(err)
		}
		var paths []string
		for _, driver := range result.Drivers {
			path, version, _ := strings.Cut(driver, "@")
			paths = append(paths, path)
			if !strings.Contains(string(mod), path+" "+version) {
				t.Errorf("golden/go.mod does not have %s", driver)
			}
		}
		if !slices.Equal(paths, want) {
			t.Errorf("%s: drivers %q, want %q", spec, paths, want)
		}
	}
}
