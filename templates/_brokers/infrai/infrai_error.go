package worker

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"mime"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// infraiProblem is the error of an envelope, or of one message of a batch.
type infraiProblem struct {
	Code      string `json:"code"`
	Message   string `json:"message"`
	Hint      string `json:"hint"`
	Retryable *bool  `json:"retryable"`
}

// UnmarshalJSON takes a mere text too, as the message.
func (p *infraiProblem) UnmarshalJSON(data []byte) error {
	if len(data) > 0 && data[0] == '"' {
		return json.Unmarshal(data, &p.Message)
	}
	type plain infraiProblem
	return json.Unmarshal(data, (*plain)(p))
}

// without is the problem without the API key, which a server may repeat, and cut to a readable length.
func (p *infraiProblem) without(key string) infraiProblem {
	clean := func(s string) string {
		s = strings.ToValidUTF8(strings.ReplaceAll(s, key, "[API key]"), "")
		if runes := []rune(s); len(runes) > 300 {
			return string(runes[:300]) + "…"
		}
		return s
	}
	return infraiProblem{clean(p.Code), clean(p.Message), clean(p.Hint), p.Retryable}
}

// String is code, message and hint, as far as there are any.
func (p *infraiProblem) String() string {
	text := p.Message
	if p.Code != "" {
		text = strings.TrimSuffix(p.Code+": "+p.Message, ": ")
	}
	if p.Hint != "" {
		text += " (" + p.Hint + ")"
	}
	return text
}

// infraiError is a request that failed.
type infraiError struct {
	infraiProblem
	status int           // of HTTP; 0 where there was no answer
	cause  error         // where no envelope says it
	again  bool          // it may pass
	after  time.Duration // what Retry-After asks for
}

func (e *infraiError) Error() string {
	text := e.String()
	if e.cause != nil {
		text = e.cause.Error()
	}
	if e.status == http.StatusUnauthorized {
		text = strings.TrimSuffix("the API key was refused: "+text, ": ")
	}
	if e.status != 0 {
		text = fmt.Sprintf("%s [HTTP %d]", text, e.status)
	}
	return text
}

func (e *infraiError) Unwrap() error { return e.cause }

// reused tells whether the idempotency key was used before, with another body.
func (e *infraiError) reused() bool { return !e.again && strings.Contains(e.Code, "IDEMPOTENCY") }

// wait is how long to wait after a try: no less than Retry-After, up to infraiMaxWait.
func (e *infraiError) wait(try int) time.Duration {
	asked := min(e.after, infraiMaxWait)
	return max(infraiBackoff(try), asked+rand.N(asked/10+1))
}

// infraiPasses tells whether a status alone speaks of something that may pass.
func infraiPasses(status int) bool {
	return status == http.StatusTooManyRequests || status == http.StatusRequestTimeout || status == http.StatusTooEarly || status >= 500
}

// infraiStranger says what an answer without an envelope looks like, from outside.
func infraiStranger(resp *http.Response, size int) error {
	if at, err := resp.Location(); err == nil {
		return fmt.Errorf("a redirect to %s://%s, which is not followed because the API key would go there: set the base URL to Infrai's", at.Scheme, at.Host)
	}
	what := "an empty answer"
	if size > 0 {
		kind, _, err := mime.ParseMediaType(resp.Header.Get("Content-Type"))
		if err != nil || len(kind) > 60 {
			kind = "unknown content"
		}
		what = fmt.Sprintf("%d bytes of %s", size, kind)
	}
	return fmt.Errorf("%s in place of Infrai's envelope: a proxy has answered, or the base URL is not Infrai's", what)
}

// infraiRetryAfter reads Retry-After: whole seconds, or a date measured against the answer's own, so that a wrong clock on
// this side does not matter. Anything else asks for nothing.
func infraiRetryAfter(h http.Header) time.Duration {
	text := h.Get("Retry-After")
	if seconds, err := strconv.ParseUint(text, 10, 31); err == nil {
		return time.Duration(seconds) * time.Second
	}
	at, err := http.ParseTime(text)
	if err != nil {
		return 0
	}
	now, err := http.ParseTime(h.Get("Date"))
	if err != nil {
		now = time.Now() // the best there is
	}
	return max(0, at.Sub(now))
}
