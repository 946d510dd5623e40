package worker

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/url"
	"strings"
	"time"
)

// infraiAPI calls Infrai over HTTP, and repeats a call whose failure may pass.
type infraiAPI struct {
	http  *http.Client
	base  string
	key   string                                           // the API key: it is in no error and no log
	pause func(ctx context.Context, d time.Duration) error // waits; tests wait without time
}

const (
	infraiTries     = 5                      // of one call
	infraiFirstWait = 250 * time.Millisecond // before the second; it doubles
	infraiMaxWait   = time.Minute            // of one wait, whatever Retry-After says
	infraiTimeout   = 30 * time.Second       // of one request: a connection that has died without a word is given up
	infraiMaxAnswer = 16 << 20               // bytes: ten messages of 256 KB with each byte escaped
)

var errInfraiSilent = fmt.Errorf("no answer in %s", infraiTimeout)

func newInfraiAPI(client *http.Client, baseURL, apiKey string) (*infraiAPI, error) {
	if client == nil {
		client = http.DefaultClient
	}
	// Many programs write the base URL with the version in it.
	base := strings.TrimSuffix(strings.TrimRight(baseURL, "/"), "/v1")
	if base == "" {
		base = infraiBase
	}
	if u, err := url.Parse(base); err != nil || u.Host == "" || u.Scheme != "https" && u.Scheme != "http" {
		return nil, fmt.Errorf("the base URL of Infrai is no http or https address: give one such as %s, or none for it", infraiBase)
	}
	apiKey = strings.TrimSpace(apiKey)
	if apiKey == "" {
		return nil, errors.New("there is no API key for Infrai")
	}
	own := *client
	own.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return &infraiAPI{http: &own, base: base, key: apiKey, pause: infraiPause}, nil
}

// write makes a call that changes something. The same idempotency key goes with each repetition of it; an empty one is
// made up. call is the path below /v1/queue/.
func (a *infraiAPI) write(ctx context.Context, method, call, key string, body, data any) error {
	if key == "" {
		key = infraiKey()
	}
	encoded, err := json.Marshal(body)
	if err != nil {
		return err
	}
	return a.call(ctx, method, call, key, encoded, data)
}

func (a *infraiAPI) call(ctx context.Context, method, call, key string, body []byte, data any) error {
	for try := 1; ; try++ {
		answer, failed := a.once(ctx, method, call, key, body)
		if failed == nil {
			return infraiData(answer, data)
		}
		name, _, _ := strings.Cut(call, "/")
		if ctx.Err() != nil {
			return fmt.Errorf("infrai %s: %w", name, ctx.Err())
		}
		if !failed.again {
			return fmt.Errorf("infrai %s: %w", name, failed)
		}
		if try == infraiTries {
			return fmt.Errorf("infrai %s: %d tries: %w", name, try, failed)
		}
		if err := a.pause(ctx, failed.wait(try)); err != nil {
			return fmt.Errorf("infrai %s: %w while it waited after: %w", name, err, failed)
		}
	}
}

// once sends one request, and answers the data of the envelope.
func (a *infraiAPI) once(ctx context.Context, method, call, key string, body []byte) (json.RawMessage, *infraiError) {
	ctx, cancel := context.WithTimeoutCause(ctx, infraiTimeout, errInfraiSilent)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, method, a.base+"/v1/queue/"+call, bytes.NewReader(body))
	if err != nil {
		return nil, &infraiError{cause: errors.New("the queue's name makes no address")}
	}
	req.Header.Set("Authorization", "Bearer "+a.key)
	if body != nil {
		req.Header.Set("Content-Type", "application/json")
		req.Header.Set("Idempotency-Key", key)
	}
	resp, err := a.http.Do(req)
	if err != nil {
		if ctx.Err() != nil {
			err = context.Cause(ctx)
		}
		return nil, &infraiError{cause: err, again: true}
	}
	defer func() { _ = resp.Body.Close() }()
	answer, err := io.ReadAll(io.LimitReader(resp.Body, infraiMaxAnswer+1))
	switch {
	case err != nil:
		return nil, &infraiError{cause: fmt.Errorf("the answer broke off: %w", err), again: true}
	case len(answer) > infraiMaxAnswer:
		return nil, &infraiError{status: resp.StatusCode, cause: fmt.Errorf("an answer of more than %d MiB", infraiMaxAnswer>>20)}
	}
	return a.open(resp, answer)
}

// open takes the data out of the envelope. The envelope is judged before the HTTP status, which says nothing that it does
// not; an answer without one comes from something before Infrai, and is not repeated in the error.
func (a *infraiAPI) open(resp *http.Response, answer []byte) (json.RawMessage, *infraiError) {
	failed := &infraiError{status: resp.StatusCode, again: infraiPasses(resp.StatusCode), after: infraiRetryAfter(resp.Header)}
	var envelope struct {
		OK    *bool           `json:"ok"`
		Data  json.RawMessage `json:"data"`
		Error *infraiProblem  `json:"error"`
	}
	if err := json.Unmarshal(answer, &envelope); err != nil || envelope.OK == nil {
		failed.cause = infraiStranger(resp, len(answer))
		return nil, failed
	}
	if *envelope.OK {
		return envelope.Data, nil
	}
	if envelope.Error != nil {
		failed.infraiProblem = envelope.Error.without(a.key)
	}
	if failed.Retryable != nil {
		failed.again = *failed.Retryable
	}
	failed.again = failed.again && resp.StatusCode != http.StatusPaymentRequired
	return nil, failed
}

// infraiData decodes an answer's data, where the caller wants any.
func infraiData(answer json.RawMessage, data any) error {
	if data == nil {
		return nil
	}
	if raw, ok := data.(*json.RawMessage); ok {
		*raw = answer
		return nil
	}
	if err := json.Unmarshal(answer, data); err != nil {
		return errors.New("infrai: the data of an answer is not of the form that this program knows")
	}
	return nil
}

// infraiPause waits, unless ctx ends first.
func infraiPause(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// infraiBackoff is the wait after a try, of which one half is by chance.
func infraiBackoff(try int) time.Duration {
	d := min(infraiFirstWait<<min(try-1, 16), infraiMaxWait)
	return d/2 + rand.N(d/2)
}
