package jobs

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"
)

// A sender that is slow, or means ill, holds no connection of the database: one is enough for all others.
func TestSlowBodyHoldsNoConnection(t *testing.T) {
	config := scratchSchema(t)
	direct := storeOn(t, config, "trial_clock", time.Now().UnixMilli())
	_, store := newWire(t, config, direct)
	door := newDoor(t, direct, store)

	const body = `{"id": "slow", "type": "charge.succeeded", "data": {"object": {"amount": 1}}}`
	in, out := io.Pipe()
	slow := httptest.NewRequest(http.MethodPost, "/", in)
	slow.Header = stripeHeader(stripeSecret, body, door.clock())
	answered := make(chan int)
	go func() { answered <- door.post(slow) }()
	if _, err := out.Write([]byte(body[:10])); err != nil { // which returns once it is read
		t.Fatal(err)
	}
	if n := store.DB().Stat().AcquiredConns(); n != 0 {
		t.Errorf("%d connections are held", n)
	}
	for event := range 20 {
		if status := door.post(door.request(event)); status != http.StatusOK {
			t.Errorf("answered %d", status)
		}
	}
	if n := store.DB().Stat().AcquiredConns(); n != 0 {
		t.Errorf("%d connections are held", n)
	}
	_, _ = out.Write([]byte(body[10:]))
	_ = out.Close()
	if status := <-answered; status != http.StatusOK {
		t.Errorf("the slow one answered %d", status)
	}
	door.wantOnce(21)
}

// A database that takes connections and says nothing is waited for as long as a sender waits, and no longer.
func TestSilentDatabaseIsWaitedForNoLongerThanASenderWaits(t *testing.T) {
	config := scratchSchema(t)
	direct := storeOn(t, config, "trial_clock", time.Now().UnixMilli())
	_, store := newWire(t, config, direct)
	door := newDoor(t, direct, store)
	tx, err := direct.DB().Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := tx.Exec(t.Context(), "lock table "+jobTable+" in exclusive mode"); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 2*webhookPatience)
	defer cancel()
	r := door.request(1).WithContext(ctx)
	if status := door.post(r); status != http.StatusServiceUnavailable || ctx.Err() != nil {
		t.Errorf("answered %d, %v", status, ctx.Err())
	}
	if err := tx.Rollback(t.Context()); err != nil {
		t.Fatal(err)
	}
	if status := door.post(door.request(1)); status != http.StatusOK {
		t.Errorf("answered %d", status)
	}
	door.wantOnce(1)
}
