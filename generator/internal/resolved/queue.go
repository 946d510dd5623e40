package resolved

// Queue is one queue.
type Queue struct {
	Name        string      `json:"name"`
	GoName      string      `json:"go_name"`
	Payload     []Field     `json:"payload"`
	Key         []string    `json:"idempotency_key"` // empty: jobs have none
	Ladder      string      `json:"ladder"`
	Concurrency int         `json:"concurrency"`
	Timeout     Duration    `json:"timeout"`
	Lease       Duration    `json:"lease"`
	SQLFunction string      `json:"sql_function"` // to enqueue with; empty: there is none
	TenantID    string      `json:"tenant_id"`    // the field of the payload that says whose a job is; empty: none does
	Tier        string      `json:"tier"`         // the one that says which tier it is of
	Downstream  *Downstream `json:"downstream"`   // null: nothing is known of what its handlers call
	Backend     *Backend    `json:"backend"`      // null: there is no broker
	Objectives  *Objectives `json:"slo"`          // null: there is no slo
	Tiers       []Tier      `json:"tiers"`        // what the policy means for its jobs
}

// Field is one field of a payload or of an object in it.
type Field struct {
	Name     string `json:"name"`
	GoName   string `json:"go_name"`
	Required bool   `json:"required"` // neither optional nor with a default
	Default  any    `json:"default"`  // null: it has none
	Type
}

// Type is the type of a field, of a list's items or of a map's values.
type Type struct {
	Type   string   `json:"type"`
	Format string   `json:"format,omitempty"`
	Enum   []string `json:"enum,omitempty"`
	Items  *Type    `json:"items,omitempty"`
	Values *Type    `json:"values,omitempty"`
	Fields []Field  `json:"fields,omitempty"`
}

// Downstream is what a service takes that the handlers call.
type Downstream struct {
	Requests  int      `json:"requests"`
	Per       Duration `json:"per"`
	Run       Duration `json:"run"` // what a quick one takes
	Processes int      `json:"processes"`
}

// Backend is the queue at a broker.
type Backend struct {
	Broker           string `json:"broker"`
	Variable         string `json:"variable"`        // of the environment: the queue's URL, the server's, or the API key
	BaseURLVariable  string `json:"base_url_env"`    // of Infrai; empty: its own address
	PushVariable     string `json:"push_secret_env"` // of Infrai too; empty: it posts no messages
	Queue            string `json:"queue"`           // its name there; empty at SQS
	PayloadIn        string `json:"payload_in"`
	NativeDeadLetter bool   `json:"native_dead_letter"`
}

// Tier is what the policy means for the queue's jobs of one tier.
type Tier struct {
	Tier  string `json:"tier"` // empty: of none, or of one that has no ladder
	Ends  []End  `json:"ends"`
	Worst Worst  `json:"worst"`
}

// End is a job whose attempts all end in one way.
type End struct {
	Class       string    `json:"class"`     // of the spec, or one that every worker has
	Crash       bool      `json:"crash"`     // the process died
	Outcome     string    `json:"outcome"`   // transient or permanent
	Budget      string    `json:"budget"`    // that the attempts are charged to
	Ladder      string    `json:"ladder"`    // empty: none is climbed
	LadderOf    string    `json:"ladder_of"` // class, tier, queue or default
	Soonest     Walk      `json:"soonest"`   // the shortest waits, and handlers that take no time
	Typical     Walk      `json:"typical"`   // average waits, and handlers that take no time
	Latest      Walk      `json:"latest"`    // the longest waits, and handlers that take their whole timeout
	LongestWait Duration  `json:"longest_wait"`
	MostWaited  Duration  `json:"most_waited"` // no such job waits longer in all
	Asked       *Duration `json:"retry_after"` // the longest wait that a server can ask for; null: none can
	Takes       Takes     `json:"takes"`
}

// Walk is how such a job goes.
type Walk struct {
	Attempts   int      `json:"attempts"`
	Waited     Duration `json:"waited"`  // between the attempts, in all
	Elapsed    Duration `json:"elapsed"` // from the first attempt's begin until the job is dead
	DeadReason string   `json:"dead_reason"`
}

// Worst is a job that uses up every counter.
type Worst struct {
	Failures      int   `json:"failures"`
	Throttles     int   `json:"throttles"`
	Crashes       int   `json:"crashes"`
	SharedCrashes int   `json:"shared_crashes"`
	Interrupts    int   `json:"interrupts"`
	Snoozes       int   `json:"snoozes"`
	Window        bool  `json:"window"` // caps.window ends it before the counters do
	Takes         Takes `json:"takes"`
}

// Takes is what a job that never succeeds takes until it is dead, at most.
type Takes struct {
	Runs        int      `json:"runs"`
	HandlerTime Duration `json:"handler_time"`
	LedgerRows  int      `json:"ledger_rows"`
	Messages    int      `json:"messages"`
	Requests    int      `json:"requests"`
	Cost        *float64 `json:"cost"` // in the currency of prices; null: nothing has a price
}
