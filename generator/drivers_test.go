package generator

import (
	"os"
	"slices"
	"strings"
	"testing"
)

// The versions are those that golden/ is tested with.
func TestDriversAreThoseOfTheDatabaseAndTheBrokers(t *testing.T) {
	result, err := Check("../golden/brokers/retry.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var paths []string
	mod, err := os.ReadFile("../golden/go.mod")
	if err != nil {
		t.Fatal(err)
	}
	for _, driver := range result.Drivers {
		path, version, _ := strings.Cut(driver, "@")
		paths = append(paths, path)
		if !strings.Contains(string(mod), path+" "+version) {
			t.Errorf("golden/go.mod does not have %s", driver)
		}
	}
	if want := []string{"github.com/jackc/pgx/v5", "github.com/aws/aws-sdk-go-v2/service/sqs", "github.com/rabbitmq/amqp091-go"}; !slices.Equal(paths, want) {
		t.Errorf("drivers %q, want %q", paths, want)
	}
}
