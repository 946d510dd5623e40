package jobs

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"
)

// The incident: the database is away for 40 minutes, in which a sender repeats 2,317 deliveries. 41 of them had been
// committed, and their answers were lost. Each event has exactly one effect.
func TestIncidentOfAnOutageGivesEachEventOneEffect(t *testing.T) {
	const events, lost = 2317, 41
	config := scratchSchema(t)
	direct := storeOn(t, config, "trial_clock", time.Now().UnixMilli())
	wire, store := newWire(t, config, direct)
	door := newDoor(t, direct, store)

	wire.lose.Store(lost)
	door.wantAll(door.deliver(0, lost), http.StatusServiceUnavailable)
	if n := door.count("select count(*) from effect"); wire.lost.Load() != lost || n != lost {
		t.Fatalf("%d answers were lost, and there are %d effects", wire.lost.Load(), n)
	}

	wire.cut()
	old := door.request(7)
	door.wantAll(door.deliver(0, events), http.StatusServiceUnavailable)
	door.pass(40 * time.Minute)
	wire.mend()

	// The database comes back, and its connections break once more every now and then.
	answers := door.deliver(0, events, func(i int) {
		if i%200 == 100 {
			wire.cut()
			wire.mend()
		}
	})
	for tries := 0; ; tries++ {
		var again []int
		for event, status := range answers {
			switch status {
			case http.StatusServiceUnavailable:
				again = append(again, event)
			case http.StatusOK:
			default:
				t.Fatalf("event %d answered %d", event, status)
			}
		}
		if len(again) == 0 {
			break
		}
		if tries == 20 {
			t.Fatalf("%d events are not taken", len(again))
		}
		for _, event := range again {
			answers[event] = door.post(door.request(event))
		}
	}
	door.wantOnce(events)

	store.DB().Reset() // no connection that was cut is left
	// What is sent once more, by the sender or by somebody who has seen a delivery, changes nothing.
	door.wantAll(door.deliver(0, 100), http.StatusOK)
	if status := door.post(old); status != http.StatusUnauthorized {
		t.Errorf("an old delivery answered %d", status)
	}
	door.wantOnce(events)

	ran := map[string]int{}
	var mu sync.Mutex
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	err := Run(ctx, direct, PaymentWorker(func(_ context.Context, job *Job[Payment]) error {
		mu.Lock()
		defer mu.Unlock()
		if ran[job.Payload.EventID]++; len(ran) == events {
			stop()
		}
		return nil
	}))
	if err != nil || len(ran) != events {
		t.Errorf("%d events ran: %v", len(ran), err)
	}
	for event, times := range ran {
		if times != 1 {
			t.Errorf("%s ran %d times", event, times)
		}
	}
}

// door is the handler of Stripe's deliveries on a store that can be cut off, and what it does as seen from beside.
type door struct {
	*testing.T
	direct  *Store
	handler *webhook[Payment]

	mu  sync.Mutex
	now time.Time
}

func newDoor(t *testing.T, direct, store *Store) *door {
	t.Helper()
	t.Setenv("STRIPE_WEBHOOK_SECRET", stripeSecret)
	d := &door{T: t, direct: direct, now: time.Now()}
	if _, err := direct.DB().Exec(t.Context(), "create table effect (event_id text not null)"); err != nil {
		t.Fatal(err)
	}
	handler, err := StripePaymentWebhook(store, func(ctx context.Context, tx Tx, _ string, p Payment) error {
		_, err := tx.Exec(ctx, "insert into effect values ($1)", p.EventID)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	d.handler = handler.(*webhook[Payment])
	d.handler.now = d.clock
	return d
}

func (d *door) clock() time.Time {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.now
}

func (d *door) pass(t time.Duration) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.now = d.now.Add(t)
}

// request is a delivery of an event, signed now.
func (d *door) request(event int) *http.Request {
	body := fmt.Sprintf(`{"id": "evt_%d", "type": "charge.succeeded", "data": {"object": {"amount": %d}}}`, event, event)
	r := httptest.NewRequest(http.MethodPost, "/stripe", strings.NewReader(body)).WithContext(d.Context())
	r.Header = stripeHeader(stripeSecret, body, d.clock())
	return r
}

func (d *door) post(r *http.Request) int {
	answer := httptest.NewRecorder()
	d.handler.ServeHTTP(answer, r)
	if answer.Code == http.StatusServiceUnavailable && answer.Header().Get("Retry-After") == "" {
		d.Error("it is not said when to come again")
	}
	return answer.Code
}

// deliver posts the events, sixteen at once, and answers their statuses. What is given with them is called before each.
func (d *door) deliver(from, to int, before ...func(event int)) map[int]int {
	answers := map[int]int{}
	var mu sync.Mutex
	var all sync.WaitGroup
	next := make(chan int)
	for range 16 {
		all.Go(func() {
			for event := range next {
				for _, fn := range before {
					fn(event)
				}
				status := d.post(d.request(event))
				mu.Lock()
				answers[event] = status
				mu.Unlock()
			}
		})
	}
	for event := from; event < to; event++ {
		next <- event
	}
	close(next)
	all.Wait()
	return answers
}

func (d *door) wantAll(answers map[int]int, status int) {
	d.Helper()
	for event, got := range answers {
		if got != status {
			d.Fatalf("event %d answered %d, want %d", event, got, status)
		}
	}
}

func (d *door) count(query string) (n int) {
	d.Helper()
	if err := d.direct.DB().QueryRow(d.Context(), query).Scan(&n); err != nil {
		d.Fatal(err)
	}
	return n
}

func (d *door) wantOnce(events int) {
	d.Helper()
	for query, want := range map[string]int{
		"select count(*) from effect":                 events,
		"select count(distinct event_id) from effect": events,
		"select count(*) from " + jobTable:            events,
	} {
		if n := d.count(query); n != want {
			d.Errorf("%s: %d, want %d", query, n, want)
		}
	}
}
