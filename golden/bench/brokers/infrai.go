package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/retryc/retryc/golden/bench/brokers/jobs"
	"github.com/retryc/retryc/golden/bench/brokers/jobs/infraitest"
)

// As the emitted worker has it: no more than infraiBatch are asked for, an empty queue is asked again after infraiPause, and
// there is no call that acknowledges many, so infraiAtOnce are on their way at a time.
const (
	infraiName   = "retryc-bench"
	infraiBatch  = 10
	infraiPause  = time.Second
	infraiAtOnce = 8
)

type infraiClient struct {
	name   string
	server *infraitest.Server
	http   *http.Client
}

func openInfrai(_ context.Context, _ options, carried bool) (place, error) {
	c := &infraiClient{name: infraiName, server: infraitest.New(infraitest.Options{Running: true})}
	c.http = c.server.Client()
	connect := func(ctx context.Context, store *jobs.Store) error { return jobs.ConnectByInfrai(ctx, store, c.http) }
	q := queueOf(connect, jobs.EnqueueByInfraiMany, jobs.ByInfraiWorker, func(event, merchant string, cents int64) jobs.ByInfrai {
		return jobs.ByInfrai{EventID: event, MerchantID: merchant, AmountCents: cents}
	})
	if carried {
		c.name += "-carried"
		connect := func(ctx context.Context, store *jobs.Store) error {
			return jobs.ConnectCarriedByInfrai(ctx, store, c.http)
		}
		q = queueOf(connect, jobs.EnqueueCarriedByInfraiMany, jobs.CarriedByInfraiWorker, func(event, merchant string, cents int64) jobs.CarriedByInfrai {
			return jobs.CarriedByInfrai{EventID: event, MerchantID: merchant, AmountCents: cents}
		})
	}
	return place{q, c}, errors.Join(os.Setenv("BENCH_INFRAI_URL", c.server.URL), os.Setenv("BENCH_INFRAI_KEY", infraitest.APIKey))
}

func (c *infraiClient) receive(ctx context.Context) (batch []message, err error) {
	var answer struct {
		Items []struct {
			ID      string          `json:"message_id"`
			Payload json.RawMessage `json:"payload"`
		} `json:"items"`
	}
	err = c.call(ctx, http.MethodPost, "consume", map[string]any{"queue": c.name, "max_messages": infraiBatch, "visibility_timeout": 60}, &answer)
	if err == nil && len(answer.Items) == 0 {
		select {
		case <-time.After(infraiPause):
		case <-ctx.Done():
			err = context.Cause(ctx)
		}
	}
	for _, m := range answer.Items {
		batch = append(batch, message{id: m.ID, body: m.Payload})
	}
	return batch, err
}

func (c *infraiClient) acknowledge(ctx context.Context, batch []message) error {
	errs := make([]error, len(batch))
	free := make(chan struct{}, infraiAtOnce)
	var sending sync.WaitGroup
	for i, m := range batch {
		free <- struct{}{}
		sending.Go(func() {
			errs[i] = c.call(ctx, http.MethodPost, "ack", map[string]any{"queue": c.name, "message_id": m.id}, nil)
			<-free
		})
	}
	sending.Wait()
	return errors.Join(errs...)
}

func (c *infraiClient) left(ctx context.Context) (int, error) {
	var answer struct {
		Count int `json:"message_count"`
	}
	err := c.call(ctx, http.MethodGet, "stats/"+c.name, nil, &answer)
	return answer.Count, err
}

func (c *infraiClient) call(ctx context.Context, method, call string, request, data any) error {
	var body []byte
	if request != nil {
		var err error
		if body, err = json.Marshal(request); err != nil {
			return err
		}
	}
	req, err := http.NewRequestWithContext(ctx, method, c.server.URL+"/v1/queue/"+call, bytes.NewReader(body))
	if err != nil {
		return err
	}
	req.Header.Set("Authorization", "Bearer "+infraitest.APIKey)
	req.Header.Set("Content-Type", "application/json")
	resp, err := c.http.Do(req)
	if err != nil {
		return err
	}
	defer func() { _ = resp.Body.Close() }()
	text, err := io.ReadAll(resp.Body)
	if err != nil || resp.StatusCode != http.StatusOK {
		return errors.Join(fmt.Errorf("%s: %s: %s", call, resp.Status, text), err)
	}
	return json.Unmarshal(text, &struct {
		Data any `json:"data"`
	}{data})
}

func (c *infraiClient) close() error {
	c.server.Close()
	if v := c.server.Violations(); len(v) > 0 {
		return fmt.Errorf("the contract is broken: %s", strings.Join(v, "; "))
	}
	return nil
}
