package broker

import (
	"encoding/json"
	"maps"
	"math"
	"slices"
	"testing"
	"time"

	"github.com/retryc/retryc/schema"
)

func TestTheFormatHasEveryBrokerAndNoOther(t *testing.T) {
	var format struct {
		Defs struct {
			Backend struct{ Properties map[string]any } `json:"backend"`
		} `json:"$defs"`
	}
	if err := json.Unmarshal(schema.V1, &format); err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, b := range All {
		names = append(names, b.Name)
	}
	slices.Sort(names)
	if keys := slices.Sorted(maps.Keys(format.Defs.Backend.Properties)); !slices.Equal(keys, names) {
		t.Errorf("the schema has %q, the catalogue %q", keys, names)
	}
}

func TestAWaitIsAsManyMessagesAsTheBrokerNeeds(t *testing.T) {
	limits := Limits{Delay: 15 * time.Minute}
	for wait, want := range map[time.Duration]int{
		-time.Second: 1, 0: 1, time.Millisecond: 1, 15 * time.Minute: 1, 15*time.Minute + 1: 2, 30 * time.Minute: 2, 48 * time.Hour: 192,
		math.MaxInt64: 10_248_192,
	} {
		if got := limits.Messages(wait); got != want {
			t.Errorf("%v: %d messages, want %d", wait, got, want)
		}
	}
	if got := (Limits{}).Messages(math.MaxInt64); got != 1 {
		t.Errorf("a broker without a limit takes %d messages", got)
	}
}

func TestLimitsFitTogether(t *testing.T) {
	for _, b := range All {
		l := b.Limits
		if ByName(b.Name) != b || b.Title == "" || l.Delay <= 0 || l.Step <= 0 || l.Body <= 0 {
			t.Errorf("%s lacks what every broker has: %+v", b.Name, l)
		}
		if l.Delay%l.Step != 0 {
			t.Errorf("%s holds a message back for %v, which is no whole number of %v", b.Name, l.Delay, l.Step)
		}
		if l.Lease != 0 && l.DefaultLease > l.Lease || l.Receives != 0 && l.DefaultReceives > l.Receives ||
			l.Retention != 0 && (l.DefaultRetention > l.Retention || l.Delay > l.Retention) {
			t.Errorf("%s has a default, or a delay, above its limit: %+v", b.Name, l)
		}
	}
}

func TestAMessageIsHeldBackForNoLessThanTheWait(t *testing.T) {
	limits := Limits{Delay: time.Minute, Steps: []time.Duration{time.Second, 10 * time.Second, time.Minute}}
	for wait, want := range map[time.Duration]time.Duration{
		0: time.Second, time.Second: time.Second, 1001 * time.Millisecond: 10 * time.Second, time.Minute: time.Minute, time.Hour: time.Minute,
	} {
		if got := limits.Held(wait); got != want {
			t.Errorf("%v: held back for %v, want %v", wait, got, want)
		}
	}
}
