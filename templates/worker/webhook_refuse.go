//retryc:when webhook

package worker

import (
	"encoding/json"
	"errors"
	"log/slog"
	"net/http"
	"strconv"
)

// webhookRefusal is an end of a delivery that is the delivery's own fault.
type webhookRefusal struct {
	status int
	answer string // what the sender learns
	why    error  // what the log has beside it
}

func (e *webhookRefusal) Error() string {
	if e.why == nil {
		return e.answer
	}
	return e.why.Error()
}

// unfit is the end of a delivery that is signed, and makes no job. No value of it is in the answer or in the log.
func unfit(err error) error {
	answer := "the delivery does not fit the payload"
	var misfit *webhookMisfit
	var invalid *invalidPayload
	var mistyped *json.UnmarshalTypeError
	switch {
	case errors.As(err, &misfit):
		answer = misfit.text
	case errors.As(err, &invalid):
		answer += ": " + invalid.Error()
	case errors.As(err, &mistyped):
		answer += ": " + mistyped.Field + " takes values of another kind"
	}
	return &webhookRefusal{http.StatusBadRequest, answer, nil}
}

// webhookWriteError is of what the product writes.
type webhookWriteError struct{ err error }

func (e *webhookWriteError) Error() string { return "the product's own write: " + e.err.Error() }
func (e *webhookWriteError) Unwrap() error { return e.err }

// refuse answers a delivery that has made no job, or whose job may not have been committed: then it is to come again, and a
// job that is there by then is found.
func (w *webhook[P]) refuse(rw http.ResponseWriter, r *http.Request, err error) {
	var refusal *webhookRefusal
	var written *webhookWriteError
	level := slog.LevelWarn
	switch {
	case errors.As(err, &refusal):
	case unstorable(err) && !errors.As(err, &written):
		refusal = &webhookRefusal{http.StatusBadRequest, "the database cannot hold the delivery", err}
	default:
		level = slog.LevelError
		refusal = &webhookRefusal{http.StatusServiceUnavailable, "the delivery was not taken", err}
		rw.Header().Set("Retry-After", strconv.Itoa(int(webhookRest.Seconds())))
	}
	slog.Log(r.Context(), level, "webhook delivery refused", "webhook", w.name, "status", refusal.status, "from", r.RemoteAddr, "error", refusal.Error())
	http.Error(rw, refusal.answer, refusal.status)
}
