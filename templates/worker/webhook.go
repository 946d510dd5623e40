//retryc:when webhook

package worker

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"time"
)

// WebhookWrite is what a product writes itself when a delivery comes, in the transaction that adds its job: both commit, or
// neither. It does not run for a delivery of an event that is there already. Use only tx in it, leave commit and rollback
// to the handler, and keep it short; it may run more than once until its transaction commits. After an error the delivery is
// answered as failed, so that the sender repeats it.
type WebhookWrite[P any] func(ctx context.Context, tx Tx, jobID string, payload P) error

// webhookTable is one entry of webhooks.
type webhookTable struct {
	name    string
	secrets []string // variables of the environment, the one that must be set first
	scheme  signatureScheme
	maxBody int64
	fields  []webhookField

	//retryc:if webhook_only
	only   webhookField // where a text says whether a delivery makes a job
	onlyIs []string     // if it is one of these; none: each does
	//retryc:end
}

const (
	webhookPatience = 5 * time.Second  // with the database: senders wait for an answer no longer than 10 or 15
	webhookRest     = 10 * time.Second // that senders are asked for before they repeat a delivery
)

// webhook is the handler of one webhook. What a delivery says is read once its signature is proven, and the database is
// asked once all of it has been read.
type webhook[P payload] struct {
	*webhookTable
	store *Store
	queue *queueTable
	write WebhookWrite[P] // nil: the product writes nothing
	keys  [][]byte
	now   func() time.Time
}

func makeWebhookHandler[P payload](store *Store, t *webhookTable, q *queueTable, write WebhookWrite[P]) (http.Handler, error) {
	keys, err := t.keys()
	if err != nil {
		return nil, fmt.Errorf("webhook %s: %w", t.name, err)
	}
	return &webhook[P]{t, store, q, write, keys, time.Now}, nil
}

func (w *webhook[P]) ServeHTTP(rw http.ResponseWriter, r *http.Request) {
	receipt, err := w.take(rw, r)
	//retryc:if webhook_only
	if errors.Is(err, errLeftAlone) {
		slog.InfoContext(r.Context(), "webhook delivery left alone", "webhook", w.name)
		rw.WriteHeader(http.StatusOK)
		return
	}
	//retryc:end
	if err != nil {
		w.refuse(rw, r, err)
		return
	}
	level, text := slog.LevelInfo, "webhook delivery taken"
	if !receipt.SamePayload {
		level, text = slog.LevelWarn, "webhook delivery of an event that was there with another payload"
	}
	slog.Log(r.Context(), level, text, "webhook", w.name, "queue", w.queue.name, "job_id", receipt.JobID, "duplicate", receipt.Duplicate)
	rw.WriteHeader(http.StatusOK)
}

// take makes the job of a delivery. It returns once the job has been committed, or was there.
func (w *webhook[P]) take(rw http.ResponseWriter, r *http.Request) (Receipt, error) {
	if r.Method != http.MethodPost {
		rw.Header().Set("Allow", http.MethodPost)
		return Receipt{}, &webhookRefusal{http.StatusMethodNotAllowed, "deliveries are posted", nil}
	}
	body, err := w.read(rw, r)
	if err != nil {
		return Receipt{}, err
	}
	c, err := w.scheme.claim(r.Header, w.now())
	if err == nil {
		err = c.proven(w.keys, body)
	}
	if err != nil {
		return Receipt{}, &webhookRefusal{http.StatusUnauthorized, "not authorized", err}
	}
	root, err := parseBody(body)
	if err != nil {
		return Receipt{}, unfit(err)
	}
	//retryc:if webhook_only
	if err := w.wants(r.Header, root); err != nil {
		return Receipt{}, err
	}
	//retryc:end
	object, err := w.object(r.Header, root)
	if err != nil {
		return Receipt{}, unfit(err)
	}
	var p P
	if err := decode(object, &p); err != nil {
		return Receipt{}, unfit(err)
	}
	job, err := newJobOf(w.queue, p)
	if err != nil { // which has no value of the payload in it
		return Receipt{}, &webhookRefusal{http.StatusBadRequest, "the delivery makes no job: " + err.Error(), nil}
	}
	ctx, cancel := context.WithTimeout(r.Context(), webhookPatience)
	defer cancel()
	return w.enqueue(ctx, p, job.JobID)
}

func (w *webhook[P]) read(rw http.ResponseWriter, r *http.Request) ([]byte, error) {
	tooLarge := &webhookRefusal{http.StatusRequestEntityTooLarge, fmt.Sprintf("a delivery has %d bytes at most", w.maxBody), nil}
	if r.ContentLength > w.maxBody {
		return nil, tooLarge
	}
	body, err := io.ReadAll(http.MaxBytesReader(rw, r.Body, w.maxBody))
	var over *http.MaxBytesError
	switch {
	case errors.As(err, &over):
		return nil, tooLarge
	case err != nil:
		return nil, &webhookRefusal{http.StatusBadRequest, "the body did not arrive", err}
	}
	return body, nil
}

// enqueue adds the job, with what the product writes itself.
func (w *webhook[P]) enqueue(ctx context.Context, p P, jobID string) (receipt Receipt, err error) {
	if w.write == nil {
		return enqueueOne(ctx, w.store, nil, w.queue, p)
	}
	inside := context.WithValue(ctx, insideEffect{}, true)
	err = w.store.inTransaction(ctx, func(tx Tx) error {
		if receipt, err = enqueueTx(inside, w.store, tx, w.queue, p); err != nil || receipt.Duplicate {
			return err
		}
		if err := contained(func() error { return w.write(inside, tx, jobID, p) }); err != nil {
			return &webhookWriteError{err}
		}
		return nil
	})
	if err != nil {
		return Receipt{}, err
	}
	if !receipt.Duplicate {
		w.store.Wake()
		//retryc:if broker
		w.store.announceNew(w.queue, []Receipt{receipt})
		//retryc:end
	}
	return receipt, nil
}
