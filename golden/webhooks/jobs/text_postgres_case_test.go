package jobs

import (
	"context"
	"net/http"
	"testing"
	"time"
)

// A text that PostgreSQL cannot hold in a column is the delivery's own fault, and does not come again for ever. A payload holds it.
func TestTextThatTheTablesCannotHoldIsNoReasonToComeAgain(t *testing.T) {
	trial := NewTrial(t)
	url := served(t, trial.Store).URL
	for body, want := range map[string]int{
		`{"id": "b", "type": "charge.updated", "data": {"object": {"amount": 1, "customer": "\u0000"}}}`:             http.StatusBadRequest,
		`{"id": "a", "type": "charge.updated", "data": {"object": {"amount": 1, "metadata": {"\u0000": "\u0000"}}}}`: http.StatusOK,
	} {
		for range 2 {
			if status := posted(t, url+"/stripe", body, stripeHeader(stripeSecret, body, time.Now())); status != want {
				t.Errorf("%s answered %d, want %d", body, status, want)
			}
		}
	}
	got := ""
	trial.RunDue(t.Context(), PaymentWorker(func(_ context.Context, job *Job[Payment]) error {
		got += job.Payload.EventID + job.Payload.Metadata["\x00"]
		return nil
	}))
	if got != "a\x00" {
		t.Errorf("ran %q", got)
	}
}
