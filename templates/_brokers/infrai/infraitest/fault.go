package infraitest

import (
	"net/http"
	"slices"
	"time"
)

// Fault is what goes wrong with the next requests. The fields of one group can be combined.
type Fault struct {
	Call  string // such as publish, or dlq/list; any call if empty
	Times int    // how many requests; one if 0

	// The request is not applied, and answered with a status: 402, 429, 500, …
	Status     int
	Code       string
	Message    string
	Hint       string
	Retryable  *bool  // not in the answer if nil
	RetryAfter string // the header
	Raw        string // in place of the envelope, as text/html
	Location   string // the header

	// The connection is cut, the request applied or not; or there is no answer for as long as the client waits.
	CutBefore bool
	CutAfter  bool
	Hang      bool

	// Publishing is answered as if all were well.
	Drop      bool          // the messages are lost
	Duplicate bool          // each is there twice
	Late      time.Duration // they come so much later than asked
	Refuse    []int         // but for these messages of a batch, refused with Code, Message, Hint and Retryable
}

// Order has faults happen, each once its call is made, in this order.
func (s *Server) Order(faults ...Fault) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, f := range faults {
		for range max(f.Times, 1) {
			s.faults = append(s.faults, f)
		}
	}
}

// fault takes the next one for a call.
func (s *Server) fault(call string) Fault {
	i := slices.IndexFunc(s.faults, func(f Fault) bool { return f.Call == "" || f.Call == call })
	if i < 0 {
		return Fault{}
	}
	f := s.faults[i]
	s.faults = slices.Delete(s.faults, i, i+1)
	return f
}

// answers tells whether the fault is an answer in place of the request's own.
func (f *Fault) answers() bool { return f.Status != 0 }

// answer is what the client gets.
func (f *Fault) answer(h http.Header) reply {
	if f.RetryAfter != "" {
		h.Set("Retry-After", f.RetryAfter)
	}
	if f.Location != "" {
		h.Set("Location", f.Location)
	}
	if f.Raw != "" || f.Code == "" {
		h.Set("Content-Type", "text/html; charset=utf-8")
		return reply{f.Status, []byte(f.Raw)}
	}
	return failure(f.problem())
}

func (f *Fault) problem() *problem {
	return &problem{status: f.Status, Code: f.Code, Message: f.Message, Hint: f.Hint, Retryable: f.Retryable}
}
