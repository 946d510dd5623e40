package main

import (
	"context"
	"crypto/rand"
	"errors"
	"os"
	"strconv"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/sqs"
	"github.com/aws/aws-sdk-go-v2/service/sqs/types"

	"github.com/retryc/retryc/golden/bench/brokers/jobs"
)

// sqsBatch is the most that a request takes.
const sqsBatch = 10

type sqsClient struct {
	api *sqs.Client
	url *string
}

func openSQS(ctx context.Context, o options, carried bool) (place, error) {
	if o.sqs == "" {
		return place{}, errors.New("-sqs or RETRYC_TEST_SQS names an emulator of SQS, such as http://127.0.0.1:4568")
	}
	api := sqs.New(sqs.Options{
		Region: "eu-central-1", BaseEndpoint: &o.sqs,
		Credentials: aws.CredentialsProviderFunc(func(context.Context) (aws.Credentials, error) {
			return aws.Credentials{AccessKeyID: "test", SecretAccessKey: "test"}, nil
		}),
	})
	made, err := api.CreateQueue(ctx, &sqs.CreateQueueInput{QueueName: aws.String("retryc-bench-" + rand.Text())})
	if err != nil {
		return place{}, err
	}
	connect := func(ctx context.Context, store *jobs.Store) error { return jobs.ConnectBySQS(ctx, store, api) }
	q := queueOf(connect, jobs.EnqueueBySQSMany, jobs.BySQSWorker, func(event, merchant string, cents int64) jobs.BySQS {
		return jobs.BySQS{EventID: event, MerchantID: merchant, AmountCents: cents}
	})
	variable := "BENCH_SQS_QUEUE_URL"
	if carried {
		variable = "BENCH_SQS_CARRIED_QUEUE_URL"
		connect := func(ctx context.Context, store *jobs.Store) error { return jobs.ConnectCarriedBySQS(ctx, store, api) }
		q = queueOf(connect, jobs.EnqueueCarriedBySQSMany, jobs.CarriedBySQSWorker, func(event, merchant string, cents int64) jobs.CarriedBySQS {
			return jobs.CarriedBySQS{EventID: event, MerchantID: merchant, AmountCents: cents}
		})
	}
	return place{q, &sqsClient{api, made.QueueUrl}}, os.Setenv(variable, *made.QueueUrl)
}

func (c *sqsClient) receive(ctx context.Context) (batch []message, err error) {
	out, err := c.api.ReceiveMessage(ctx, &sqs.ReceiveMessageInput{QueueUrl: c.url, MaxNumberOfMessages: sqsBatch, WaitTimeSeconds: 20})
	if err != nil {
		return nil, err
	}
	for _, m := range out.Messages {
		batch = append(batch, message{id: aws.ToString(m.MessageId), receipt: aws.ToString(m.ReceiptHandle), body: []byte(aws.ToString(m.Body))})
	}
	return batch, nil
}

func (c *sqsClient) acknowledge(ctx context.Context, batch []message) error {
	in := &sqs.DeleteMessageBatchInput{QueueUrl: c.url}
	for i, m := range batch {
		in.Entries = append(in.Entries, types.DeleteMessageBatchRequestEntry{Id: aws.String(strconv.Itoa(i)), ReceiptHandle: &m.receipt})
	}
	out, err := c.api.DeleteMessageBatch(ctx, in)
	if err == nil && len(out.Failed) > 0 {
		err = errors.New(aws.ToString(out.Failed[0].Message))
	}
	return err
}

func (c *sqsClient) left(ctx context.Context) (n int, err error) {
	names := []types.QueueAttributeName{types.QueueAttributeNameApproximateNumberOfMessages, types.QueueAttributeNameApproximateNumberOfMessagesNotVisible}
	out, err := c.api.GetQueueAttributes(ctx, &sqs.GetQueueAttributesInput{QueueUrl: c.url, AttributeNames: names})
	if err != nil {
		return 0, err
	}
	for _, name := range names {
		count, err := strconv.Atoi(out.Attributes[string(name)])
		if err != nil {
			return 0, err
		}
		n += count
	}
	return n, nil
}

func (c *sqsClient) close() error {
	_, err := c.api.DeleteQueue(context.Background(), &sqs.DeleteQueueInput{QueueUrl: c.url})
	return err
}
