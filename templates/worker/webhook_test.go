//retryc:when webhook

package worker

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"sync"
	"testing"
	"testing/iotest"
	"time"
)

// signedNotes signs the body alone, in the header X-Signed.
type signedNotes struct{}

func (signedNotes) key(secret string) ([]byte, error) {
	if strings.TrimSpace(secret) != secret {
		return nil, errors.New("has white space around it")
	}
	return []byte(secret), nil
}

func (signedNotes) claim(header http.Header, _ time.Time) (claim, error) {
	text, err := soleHeader(header, "X-Signed")
	if err != nil {
		return claim{}, err
	}
	mac, err := hex.DecodeString(text)
	return claim{macs: [][]byte{mac}}, err
}

func signNote(secret, body string) string {
	mac := hmac.New(sha256.New, []byte(secret))
	_, _ = io.WriteString(mac, body)
	return hex.EncodeToString(mac.Sum(nil))
}

// webhookOfNotes takes {"id": "…", "data": {"text": "…"}} for a note.
var webhookOfNotes = webhookTable{
	name: "note", secrets: []string{"RETRYC_TEST_NOTE_SECRET", "RETRYC_TEST_NOTE_SECRET_BEFORE"}, scheme: signedNotes{}, maxBody: 200,
	fields: []webhookField{
		{name: "key", path: []string{"id"}, takes: textJSON, required: true},
		{name: "text", path: []string{"data", "text"}, takes: textJSON},
	},
}

const noteSecret = "a secret of the tests"

func (h *harness) webhook(write WebhookWrite[note]) http.Handler {
	h.Helper()
	h.Setenv("RETRYC_TEST_NOTE_SECRET", noteSecret)
	handler, err := makeWebhookHandler(h.store, &webhookOfNotes, h.queue, write)
	if err != nil {
		h.Fatal(err)
	}
	return handler
}

// delivered is the answer to a delivery that is signed.
func delivered(handler http.Handler, body string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(http.MethodPost, "/", strings.NewReader(body))
	r.Header.Set("X-Signed", signNote(noteSecret, body))
	return answered(handler, r)
}

func answered(handler http.Handler, r *http.Request) *httptest.ResponseRecorder {
	answer := httptest.NewRecorder()
	handler.ServeHTTP(answer, r)
	return answer
}

func (h *harness) wantAnswer(answer *httptest.ResponseRecorder, status int) {
	h.Helper()
	if answer.Code != status {
		h.Errorf("answered %d %s, want %d", answer.Code, answer.Body, status)
	}
}

func (h *harness) wantJobs(want int) {
	h.Helper()
	if ids := h.strings("select job_id from " + jobTable); len(ids) != want {
		h.Errorf("%d jobs, want %d", len(ids), want)
	}
}

func (h *harness) wantEffects(want int) {
	h.Helper()
	if rows := h.strings("select name from effect"); len(rows) != want {
		h.Errorf("effects %q, want %d", rows, want)
	}
}

func writesName(ctx context.Context, tx Tx, jobID string, n note) error {
	return execTx(ctx, tx, "insert into effect values (?)", n.Key+jobID[:8])
}

func TestDeliveryThatComesFiftyTimesAtOnceIsOneJob(t *testing.T) {
	h := newHarness(t, notePolicy(), fails(nil))
	h.exec("create table effect (name varchar(100))")
	for name, handler := range map[string]http.Handler{"a": h.webhook(nil), "b": h.webhook(writesName)} {
		var all sync.WaitGroup
		codes := make(chan int, 50)
		for range 50 {
			all.Go(func() { codes <- delivered(handler, `{"id":"`+name+`"}`).Code })
		}
		all.Wait()
		close(codes)
		for code := range codes { // one that waited for another's row may have to come again
			if code != http.StatusOK && code != http.StatusServiceUnavailable {
				t.Errorf("answered %d", code)
			}
		}
		h.wantAnswer(delivered(handler, `{"id":"`+name+`"}`), http.StatusOK)
	}
	h.wantJobs(2)
	h.wantEffects(1)
	if n := h.runDue(); n != 2 {
		t.Errorf("%d ran", n)
	}
}

func TestDeliveryIsToComeAgainWhereTheDatabaseDoesNotTakeIt(t *testing.T) {
	h := newHarness(t, notePolicy(), fails(nil))
	h.exec("create table effect (name varchar(100))")
	for name, handler := range map[string]http.Handler{"a": h.webhook(nil), "b": h.webhook(writesName)} {
		unlock := h.lock()
		answer := delivered(handler, `{"id":"`+name+`"}`)
		unlock()
		h.wantAnswer(answer, http.StatusServiceUnavailable)
		if after := answer.Header().Get("Retry-After"); after != "10" {
			t.Errorf("Retry-After: %q", after)
		}
		h.wantAnswer(delivered(handler, `{"id":"`+name+`"}`), http.StatusOK)
	}
	h.wantJobs(2)
	h.wantEffects(1)
}

func TestWriteOfTheProductIsThereWithTheJobOrNotAtAll(t *testing.T) {
	h := newHarness(t, notePolicy(), fails(nil))
	h.exec("create table effect (name varchar(100))")
	ends := map[string]func() error{
		"an error": func() error { return errors.New("no") },
		"a panic":  func() error { panic("no") },
		"an exit":  func() error { runtime.Goexit(); return nil },
	}
	for name, end := range ends {
		handler := h.webhook(func(ctx context.Context, tx Tx, jobID string, n note) error {
			if err := writesName(ctx, tx, jobID, n); err != nil {
				return err
			}
			return end()
		})
		h.wantAnswer(delivered(handler, `{"id":"a"}`), http.StatusServiceUnavailable)
		if h.wantJobs(0); t.Failed() {
			t.Fatal(name)
		}
	}
	h.wantEffects(0)
	handler := h.webhook(writesName)
	h.wantAnswer(delivered(handler, `{"id":"a"}`), http.StatusOK)
	h.wantAnswer(delivered(handler, `{"id":"a"}`), http.StatusOK)
	h.wantJobs(1)
	h.wantEffects(1)
}

// The job must go with what the product writes: one that is enqueued beside the transaction would stay without it.
func TestEnqueueBesideTheTransactionOfADeliveryIsRefused(t *testing.T) {
	h := newHarness(t, notePolicy(), fails(nil))
	var err error
	handler := h.webhook(func(ctx context.Context, _ Tx, _ string, _ note) error {
		_, err = enqueueOne(ctx, h.store, nil, h.queue, note{Key: "beside"})
		return nil
	})
	h.wantAnswer(delivered(handler, `{"id":"a"}`), http.StatusOK)
	if !errors.Is(err, ErrInsideEffect) {
		t.Errorf("enqueued: %v", err)
	}
	h.wantJobs(1)
}

func TestForgedDeliveriesAreAnsweredAlikeAndTheLogSaysWhy(t *testing.T) {
	h := newHarness(t, notePolicy(), fails(nil))
	handler := h.webhook(nil)
	var logged bytes.Buffer
	defer slog.SetDefault(slog.Default())
	slog.SetDefault(slog.New(slog.NewTextHandler(&logged, nil)))
	for why, signed := range map[string][]string{
		"there is no header X-Signed":    nil,
		"the header X-Signed is there 2": {signNote(noteSecret, "{}"), signNote(noteSecret, "{}")},
		"no signature is that of the bo": {signNote("another", "{}")},
		"encoding/hex":                   {"no hex"},
	} {
		r := httptest.NewRequest(http.MethodPost, "/", strings.NewReader("{}"))
		r.Header["X-Signed"] = signed
		logged.Reset()
		answer := answered(handler, r)
		h.wantAnswer(answer, http.StatusUnauthorized)
		if answer.Body.String() != "not authorized\n" || !strings.Contains(logged.String(), why) {
			t.Errorf("answered %q, logged %s, want %s", answer.Body, &logged, why)
		}
	}
	h.wantJobs(0)
}

// Nothing is read of a body that nobody has signed, nor taken from one that fits no job.
func TestDeliveriesThatMakeNoJobAreRefused(t *testing.T) {
	h := newHarness(t, notePolicy(), fails(nil))
	handler := h.webhook(nil)
	var logged bytes.Buffer
	defer slog.SetDefault(slog.Default())
	slog.SetDefault(slog.New(slog.NewTextHandler(&logged, nil)))
	for body, want := range map[string]string{
		`{"id":`:                       "the body is not JSON",
		`{"id":"hidden","id":"x"}`:     `the body has the key "id" twice`,
		"{\"id\":\"hidden\xff\"}":      "the body is not valid UTF-8",
		`{"data":{"text":"hidden"}}`:   "id is not there, and key is made of it",
		`{"id":["hidden"]}`:            "id is a list, and has to be a text",
		`{"id":"","data":{}}`:          "", // which is not the same in a queue whose jobs need no key
		`{"id":"a","data":{"text":5}}`: "data.text is a number, and has to be a text",
	} {
		answer := delivered(handler, body)
		if want == "" {
			h.wantAnswer(answer, http.StatusOK)
			continue
		}
		h.wantAnswer(answer, http.StatusBadRequest)
		if text := answer.Body.String(); !strings.Contains(text, want) || strings.Contains(text+logged.String(), "hidden") {
			t.Errorf("answered %s, logged %s, want %s", text, &logged, want)
		}
		forged := httptest.NewRequest(http.MethodPost, "/", strings.NewReader(body))
		forged.Header.Set("X-Signed", signNote("another", body))
		h.wantAnswer(answered(handler, forged), http.StatusUnauthorized)
	}
	h.wantJobs(1)
}

func TestDeliveriesAreReadWithinALimit(t *testing.T) {
	h := newHarness(t, notePolicy(), fails(nil))
	handler := h.webhook(nil)
	body := func(size int) string { return `{"id":"a"` + strings.Repeat(" ", size-len(`{"id":"a"}`)) + "}" }
	for size, want := range map[int]int{200: http.StatusOK, 201: http.StatusRequestEntityTooLarge, 1 << 20: http.StatusRequestEntityTooLarge} {
		h.wantAnswer(delivered(handler, body(size)), want)
		chunked := httptest.NewRequest(http.MethodPost, "/", io.MultiReader(strings.NewReader(body(size)))) // whose size nobody knows
		chunked.Header.Set("X-Signed", signNote(noteSecret, body(size)))
		h.wantAnswer(answered(handler, chunked), want)
	}
	broken := httptest.NewRequest(http.MethodPost, "/", io.MultiReader(strings.NewReader("{}"), iotest.ErrReader(errors.New("gone"))))
	broken.Header.Set("X-Signed", signNote(noteSecret, "{}"))
	h.wantAnswer(answered(handler, broken), http.StatusBadRequest)
	looked := answered(handler, httptest.NewRequest(http.MethodGet, "/", nil))
	if h.wantAnswer(looked, http.StatusMethodNotAllowed); looked.Header().Get("Allow") != http.MethodPost {
		t.Errorf("Allow: %q", looked.Header().Get("Allow"))
	}
	h.wantJobs(1)
}

func TestSecretsAreReplacedWhileDeliveriesCome(t *testing.T) {
	h := newHarness(t, notePolicy(), fails(nil))
	h.Setenv("RETRYC_TEST_NOTE_SECRET_BEFORE", "an older secret")
	handler := h.webhook(nil)
	for secret, want := range map[string]int{noteSecret: http.StatusOK, "an older secret": http.StatusOK, "": http.StatusUnauthorized} {
		r := httptest.NewRequest(http.MethodPost, "/", strings.NewReader(`{"id":"a"}`))
		r.Header.Set("X-Signed", signNote(secret, `{"id":"a"}`))
		h.wantAnswer(answered(handler, r), want)
	}
	for first, second := range map[string]string{"": "an older secret", noteSecret: " an older secret"} {
		h.Setenv("RETRYC_TEST_NOTE_SECRET", first)
		h.Setenv("RETRYC_TEST_NOTE_SECRET_BEFORE", second)
		if _, err := makeWebhookHandler[note](h.store, &webhookOfNotes, h.queue, nil); err == nil || strings.Contains(err.Error(), "older") {
			t.Errorf("the secrets %q and %q: %v", first, second, err)
		}
	}
}

// Senders repeat a delivery for days, and a job can run long after its signature has grown old.
func TestEventIsKnownForDaysAndItsJobIsNotVerifiedAgain(t *testing.T) {
	h := newHarness(t, notePolicy(), fails(nil))
	handler := h.webhook(nil)
	h.wantAnswer(delivered(handler, `{"id":"a","data":{"text":"first"}}`), http.StatusOK)
	h.advance(3 * 24 * time.Hour)
	if n := h.runDue(); n != 1 {
		t.Errorf("%d ran", n)
	}
	h.advance(2 * 24 * time.Hour)
	h.wantAnswer(delivered(handler, `{"id":"a","data":{"text":"first"}}`), http.StatusOK)
	h.wantAnswer(delivered(handler, `{"id":"a","data":{"text":"another"}}`), http.StatusOK)
	if n := h.runDue(); n != 0 {
		t.Errorf("%d ran", n)
	}
	h.wantJobs(1)
}
