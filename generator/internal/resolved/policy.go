// Package resolved is a policy as it is after all names are looked up and all defaults are filled in, with what it means for
// jobs. Its JSON is what retryc print gives out, and a contract: within one Form, members are added and none is taken
// away, renamed or given another meaning.
package resolved

import (
	"encoding/json"
	"time"

	"github.com/retryc/retryc/generator/internal/plan"
)

// Form is the number of the form of the JSON.
const Form = 1

// Policy is one retry.yaml.
type Policy struct {
	Form          int       `json:"retryc"`
	Generate      Generate  `json:"generate"`
	Caps          Caps      `json:"caps"`
	Classes       []Class   `json:"error_classes"`
	Unmatched     string    `json:"unmatched"`
	Ladders       []Ladder  `json:"ladders"`
	DefaultLadder string    `json:"default_ladder"`
	Tenants       *Tenants  `json:"tenants"` // null: there are none
	Queues        []Queue   `json:"queues"`
	Webhooks      []Webhook `json:"webhooks"`
	Worker        Worker    `json:"worker"`
	Observability string    `json:"observability"` // otel, prometheus or none
	Ledger        Ledger    `json:"ledger"`
	Redrive       *Redrive  `json:"redrive"` // null: nothing sends dead jobs back
	Prices        *Prices   `json:"prices"`  // null: nothing has a price
	Review        Review    `json:"review"`
}

// Duration is a length of time, in whole milliseconds and as retry.yaml writes it.
type Duration struct{ time.Duration }

// MarshalJSON writes {"ms": 90000, "text": "1m30s"}.
func (d Duration) MarshalJSON() ([]byte, error) {
	return json.Marshal(struct {
		MS   int64  `json:"ms"`
		Text string `json:"text"`
	}{d.Milliseconds(), d.String()})
}

func (d Duration) String() string { return plan.Duration(d.Duration) }

// Generate is where the output goes.
type Generate struct {
	Package    string     `json:"package"`
	Go         string     `json:"go"`
	TypeScript string     `json:"typescript"` // empty: none
	Alerts     string     `json:"alerts"`     // empty: no slo asks for any
	Migrations Migrations `json:"migrations"`
}

// Migrations are those of the tables.
type Migrations struct {
	Dir    string `json:"dir"`
	Format string `json:"format"`
	Number int    `json:"number"` // the lowest for the next file
}

// Caps are the ceilings.
type Caps struct {
	Attempts   int      `json:"attempts"`
	Throttles  int      `json:"throttles"`
	Crashes    int      `json:"crashes"`
	Interrupts int      `json:"interrupts"`
	Snoozes    int      `json:"snoozes"`
	Delay      Duration `json:"delay"`
	RetryAfter Duration `json:"retry_after"`
	Window     Duration `json:"window"`
}

// Class is one error class. The first that matches wins.
type Class struct {
	Name       string      `json:"name"`
	Outcome    string      `json:"outcome"`
	When       []Condition `json:"when"`
	RetryAfter bool        `json:"retry_after"` // a wait that a server asks for is kept
	Budget     string      `json:"budget"`
	Ladder     string      `json:"ladder"` // empty: the tier's, else the queue's
}

// Condition is one way to match: exactly one member is there.
type Condition struct {
	HTTP     []string `json:"http,omitempty"`
	Is       string   `json:"is,omitempty"`
	As       string   `json:"as,omitempty"`
	SQLState []string `json:"sqlstate,omitempty"`
	Message  string   `json:"message,omitempty"`
	Event    string   `json:"event,omitempty"` // timeout, crash, panic, undecodable or invalid
}

// Ladder is the waits between attempts.
type Ladder struct {
	Name   string     `json:"name"`
	Rungs  []Duration `json:"rungs"` // an exponential one is written out
	Jitter Jitter     `json:"jitter"`
	Waits  []Span     `json:"waits"` // of each rung, with its jitter and under caps.delay
}

// Jitter is the factors of a rung.
type Jitter struct {
	Min float64 `json:"min"`
	Max float64 `json:"max"`
}

// Span is a length of time as short as it can be, on the average, and as long as it can be.
type Span struct {
	Least   Duration `json:"least"`
	Mean    Duration `json:"mean"`
	Longest Duration `json:"longest"`
}

// Tenants say whose a job is.
type Tenants struct {
	ID      string       `json:"id"`
	Tier    string       `json:"tier"`
	Ladders []TierLadder `json:"ladders"`
}

// TierLadder is the ladder of one tier.
type TierLadder struct {
	Tier   string `json:"tier"`
	Ladder string `json:"ladder"`
}

// Worker is how a process behaves.
type Worker struct {
	Poll  Duration `json:"poll"`
	Grace Duration `json:"grace"`
}

// Prices are those of one unit each.
type Prices struct {
	Currency      string  `json:"currency"`
	Publish       float64 `json:"publish"`
	Request       float64 `json:"request"`
	HandlerSecond float64 `json:"handler_second"`
	LedgerRow     float64 `json:"ledger_row"`
}

// Review is what retryc diff does not let through; bounds are by figure, 0.5 being a half of what was.
type Review struct {
	MaxIncrease map[string]float64 `json:"max_increase"`
	MaxDecrease map[string]float64 `json:"max_decrease"`
	Forbid      []string           `json:"forbid"`
}
