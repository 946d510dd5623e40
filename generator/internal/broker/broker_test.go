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

func TestAMessageIsHeldBackForNoLessThanItsWait(t *testing.T) {
	for _, c := range []struct {
		of         *Broker
		wait, want time.Duration
	}{
		{SQS, -1, 0}, {SQS, 0, 0}, {SQS, 1, time.Second}, {SQS, time.Second, time.Second}, {SQS, 1500 * time.Millisecond, 2 * time.Second},
		{SQS, 15*time.Minute + 1, 15*time.Minute + time.Second}, {SQS, time.Hour, time.Hour},
		{RabbitMQ, 1, time.Second}, {RabbitMQ, 31 * time.Second, 45 * time.Second}, {RabbitMQ, 45 * time.Second, 45 * time.Second},
		{RabbitMQ, 24 * time.Hour, 24 * time.Hour}, {RabbitMQ, 25 * time.Hour, 25 * time.Hour}, {RabbitMQ, 49*time.Hour + time.Minute, 49*time.Hour + 30*time.Minute},
	} {
		if got := c.of.Limits.Held(c.wait); got != c.want {
			t.Errorf("%s holds a message back for %v that is to wait %v, want %v", c.of.Title, got, c.wait, c.want)
		}
	}
}

func TestSpreadWaitsGatherAtWhatABrokerCanDo(t *testing.T) {
	half := 22500 * time.Millisecond
	for _, c := range []struct {
		of        *Broker
		low, high time.Duration
		want      []time.Duration
	}{
		{RabbitMQ, half, half + 15*time.Second, []time.Duration{30 * time.Second, 45 * time.Second}},
		{RabbitMQ, 0, time.Hour, []time.Duration{0, time.Second, 2 * time.Second, 3 * time.Second}},
		{RabbitMQ, 18*time.Hour + 1, 30 * time.Hour, []time.Duration{24 * time.Hour, 24*time.Hour + time.Second, 24*time.Hour + 2*time.Second, 24*time.Hour + 3*time.Second}},
		{SQS, half, half, []time.Duration{23 * time.Second}},
		{SQS, 900 * time.Millisecond, 1100 * time.Millisecond, []time.Duration{time.Second, 2 * time.Second}},
	} {
		if got := c.of.Limits.HeldWithin(c.low, c.high, 4); !slices.Equal(got, c.want) {
			t.Errorf("%s, from %v to %v: %v, want %v", c.of.Title, c.low, c.high, got, c.want)
		}
	}
}

func TestLimitsFitTogether(t *testing.T) {
	for _, b := range All {
		l := b.Limits
		if ByName(b.Name) != b || b.Title == "" || l.Delay <= 0 || l.Step <= 0 || l.Body <= 0 {
			t.Errorf("%s lacks what every broker has: %+v", b.Name, l)
		}
		if n := len(l.Steps); n > 0 && (l.Steps[0] != l.Step || l.Steps[n-1] != l.Delay || !slices.IsSorted(l.Steps)) {
			t.Errorf("the steps of %s do not lead from the shortest to the longest delay: %v", b.Name, l.Steps)
		}
		if l.DefaultRetention != 0 && b.RetentionSetting == "" || l.Receives+l.DefaultReceives != 0 && b.ReceivesSetting == "" {
			t.Errorf("%s has a limit, and not what it is changed by", b.Name)
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
