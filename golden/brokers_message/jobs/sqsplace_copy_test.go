// Code generated from golden/brokers/jobs/sqsplace_case_test.go by go test ./generator -update. DO NOT EDIT.

package jobs

import (
	"context"
	"crypto/rand"
	"os"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/sqs"
)

// sqsServer is where an environment variable says that something answers as SQS does.
func sqsServer(t *testing.T, variable string) string {
	t.Helper()
	server := os.Getenv(variable)
	if server == "" {
		missing := "needs an emulator of Amazon SQS: set " + variable + " to its URL, such as http://127.0.0.1:4568"
		if os.Getenv("CI") == "true" {
			t.Fatal(missing)
		}
		t.Skip(missing)
	}
	return server
}

// sqsMade makes a queue, and removes it in the end.
func sqsMade(t *testing.T, client *sqs.Client, attributes map[string]string) string {
	t.Helper()
	name := "retryc-" + rand.Text()
	if attributes["FifoQueue"] == "true" {
		name += ".fifo"
	}
	made, err := client.CreateQueue(t.Context(), &sqs.CreateQueueInput{QueueName: &name, Attributes: attributes})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_, _ = client.DeleteQueue(context.WithoutCancel(t.Context()), &sqs.DeleteQueueInput{QueueUrl: made.QueueUrl})
	})
	return *made.QueueUrl
}
