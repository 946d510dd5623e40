package infraitest

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"time"
)

// maxBody is what a request's body may have: 256 KB, in the smaller reading.
const maxBody = 256_000

// incoming is a request on its way through the server.
type incoming struct {
	call  string
	queue string // of the path
	query url.Values
	key   string
	body  []byte
	fault Fault
}

// reply is what goes back.
type reply struct {
	status int
	body   []byte
}

// answered is what a key was used for, and what came of it.
type answered struct {
	request string
	reply   reply
}

// problem is why a request is refused.
type problem struct {
	status    int
	breach    bool   // of the contract: it is a violation
	Code      string `json:"code"`
	Message   string `json:"message"`
	Hint      string `json:"hint,omitempty"`
	Retryable *bool  `json:"retryable,omitempty"`
}

func (p *problem) Error() string { return p.Code + ": " + p.Message }

// breach is a request that no client should make.
func breach(status int, code, format string, args ...any) *problem {
	return &problem{status: status, breach: true, Code: code, Message: fmt.Sprintf(format, args...), Hint: "see the documentation", Retryable: new(bool)}
}

// gone is what is not there, or not there any more.
func gone(code, format string, args ...any) *problem {
	p := breach(http.StatusNotFound, code, format, args...)
	p.breach = false
	return p
}

func failure(p *problem) reply {
	body, _ := json.Marshal(map[string]any{"ok": false, "error": p})
	return reply{p.status, body}
}

func success(data any) reply {
	body, _ := json.Marshal(map[string]any{"ok": true, "data": data, "metadata": map[string]any{}})
	return reply{http.StatusOK, body}
}

// handler applies a request, with the server's lock held.
type handler func(*incoming) (any, error)

func (s *Server) routes() http.Handler {
	mux := http.NewServeMux()
	for pattern, r := range map[string]struct {
		call string
		do   handler
	}{
		"POST /v1/queue/create":                 {"create", s.create},
		"PATCH /v1/queue/update/{queue}":        {"update", s.update},
		"POST /v1/queue/publish":                {"publish", s.publish},
		"POST /v1/queue/publish_batch":          {"publish_batch", s.publishBatch},
		"POST /v1/queue/consume":                {"consume", s.consume},
		"POST /v1/queue/ack":                    {"ack", s.ack},
		"POST /v1/queue/nack":                   {"nack", s.nack},
		"GET /v1/queue/stats/{queue}":           {"stats", s.stats},
		"GET /v1/queue/dlq/list/{queue}":        {"dlq/list", s.listDead},
		"POST /v1/queue/dlq/redrive/{queue}":    {"dlq/redrive", s.redrive},
		"POST /v1/queue/push_subscribe/{queue}": {"push_subscribe", s.subscribe},
	} {
		mux.HandleFunc(pattern, func(w http.ResponseWriter, req *http.Request) { s.serve(w, req, r.call, r.do) })
	}
	mux.HandleFunc("/", func(w http.ResponseWriter, req *http.Request) {
		s.serve(w, req, "", func(*incoming) (any, error) {
			return nil, breach(http.StatusNotFound, "NOT_FOUND", "there is no such call")
		})
	})
	return mux
}

func (s *Server) serve(w http.ResponseWriter, r *http.Request, call string, do handler) {
	body, err := io.ReadAll(io.LimitReader(r.Body, maxBody+1))
	if err != nil {
		return
	}
	in := &incoming{call: call, queue: r.PathValue("queue"), query: r.URL.Query(), key: r.Header.Get("Idempotency-Key"), body: body}
	s.mu.Lock()
	s.tick()
	s.requests = append(s.requests, Request{call, in.key, body})
	in.fault = s.fault(call)
	w.Header().Set("Date", s.now.Format(http.TimeFormat))
	w.Header().Set("Content-Type", "application/json")
	out, err := s.admit(r, in)
	switch {
	case err != nil:
	case in.fault.answers():
		out = in.fault.answer(w.Header())
	case !in.fault.CutBefore && !in.fault.Hang:
		out, err = s.once(r, in, do)
	}
	if err != nil {
		out = s.refuse(r, err)
	}
	s.mu.Unlock()
	if in.fault.Hang {
		select {
		case <-r.Context().Done():
		case <-s.closing:
		}
	}
	if in.fault.Hang || in.fault.CutBefore || in.fault.CutAfter {
		panic(http.ErrAbortHandler) // which is how net/http cuts a connection
	}
	w.WriteHeader(out.status)
	_, _ = w.Write(out.body)
}

// admit checks what all calls have in common.
func (s *Server) admit(r *http.Request, in *incoming) (reply, error) {
	switch {
	case r.Header.Get("Authorization") != "Bearer "+APIKey:
		return reply{}, breach(http.StatusUnauthorized, "UNAUTHORIZED", "the API key is not known")
	case len(in.body) > maxBody:
		return reply{}, breach(http.StatusRequestEntityTooLarge, "QUEUE_BODY_TOO_LARGE", "the body has more than 256 KB")
	case r.Method == http.MethodGet && len(in.body) > 0:
		return reply{}, breach(http.StatusBadRequest, "INVALID_REQUEST", "a GET has a body")
	case r.Method != http.MethodGet && r.Header.Get("Content-Type") != "application/json":
		return reply{}, breach(http.StatusUnsupportedMediaType, "INVALID_REQUEST", "the Content-Type is not application/json")
	}
	for name := range in.query {
		if in.call != "dlq/list" || name != "limit" {
			return reply{}, breach(http.StatusBadRequest, "INVALID_REQUEST", "unknown parameter %q", name)
		}
	}
	return reply{}, nil
}

// once applies a request, unless its idempotency key brings back what came of it before.
func (s *Server) once(r *http.Request, in *incoming, do handler) (reply, error) {
	request := r.Method + r.URL.Path + "\n" + string(in.body)
	if before, used := s.answered[in.key]; used && r.Method != http.MethodGet {
		if before.request != request {
			return reply{}, breach(http.StatusConflict, "IDEMPOTENCY_KEY_REUSED", "the Idempotency-Key was used with another request")
		}
		return before.reply, nil
	}
	data, err := do(in)
	if err != nil {
		return reply{}, err
	}
	out := success(data)
	if in.key != "" {
		s.answered[in.key] = answered{request, out}
	}
	return out, nil
}

// refuse answers why a request is not applied, and remembers a breach of the contract.
func (s *Server) refuse(r *http.Request, err error) reply {
	var p *problem
	if !errors.As(err, &p) {
		p = breach(http.StatusBadRequest, "INVALID_REQUEST", "%v", err)
	}
	if p.breach {
		s.violate(r.Method+" "+r.URL.Path, p)
	}
	return failure(p)
}

func (s *Server) violate(what string, p *problem) {
	s.violations = append(s.violations, what+": "+p.Error())
}

// decode reads a request's body, and takes nothing that is not in the contract.
func (in *incoming) decode(into any) error {
	d := json.NewDecoder(bytes.NewReader(in.body))
	d.DisallowUnknownFields()
	if err := d.Decode(into); err != nil {
		return err
	}
	if _, err := d.Token(); err != io.EOF {
		return errors.New("there is something after the body's JSON")
	}
	return nil
}

// delay is delay_seconds.
type delay struct{ time.Duration }

// UnmarshalJSON takes whole seconds, up to seven days.
func (d *delay) UnmarshalJSON(data []byte) error {
	var seconds int64
	if json.Unmarshal(data, &seconds) != nil || string(data) == "null" || seconds < 0 || seconds > 604800 {
		return breach(http.StatusBadRequest, "QUEUE_DELAY_INVALID", "delay_seconds is %s, and not a whole number from 0 to 604800", data)
	}
	d.Duration = time.Duration(seconds) * time.Second
	return nil
}
