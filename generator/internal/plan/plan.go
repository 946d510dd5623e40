// Package plan is the spec resolved: Go names, defaults, and which ladder each class, tier and queue climbs.
// Every value keeps the place in the file that it came from.
package plan

import (
	"time"

	"github.com/retryc/retryc/generator/internal/broker"
	"github.com/retryc/retryc/generator/internal/dialect"
	"github.com/retryc/retryc/generator/internal/migrate"
	"github.com/retryc/retryc/generator/internal/observer"
	"github.com/retryc/retryc/spec"
	"github.com/retryc/retryc/spec/diag"
)

// Plan is everything that lint and emit need.
type Plan struct {
	Spec *spec.Document // as the file has it, for places

	Package          string
	GoDir            string // slash-separated, below the folder of the spec
	TypeScriptDir    string // the same; empty: none is emitted
	AlertsDir        string // the same; empty: no alert rules are emitted
	MigrationsDir    string
	MigrationsFormat string // goose, golang-migrate or plain
	MigrationsNumber int    // in the name of the next file
	Migrations       Migrations

	Caps          Caps
	Classes       []*Class // in the order of the file
	Unmatched     string   // transient or permanent
	Sentinels     []*Sentinel
	Ladders       []*Ladder // in the order of the file
	DefaultLadder *Ladder
	Tenants       *Tenants // nil: the spec has none
	Queues        []*Queue // in the order of the file
	Webhooks      []*Webhook
	Poll, Grace   time.Duration
	Observer      *observer.Observer // nil: the output counts nothing
	Ledger        Ledger
	Redrive       *Redrive // nil: nothing sends dead jobs back
	Prices        *Prices  // nil: nothing has a price
	Review        Review

	Names *Names // every identifier that the spec gives rise to
}

// Caps are the ceilings, defaults filled in.
type Caps struct {
	Attempts, Throttles, Crashes, Interrupts, Snoozes spec.At[int]
	Delay, RetryAfter, Window                         spec.At[time.Duration]
}

// Sentinel is an error value that the spec declares.
type Sentinel struct {
	GoName string
	Class  *Class // the first that names it
	Pos    diag.Pos
}

// Class is one error class.
type Class struct {
	Spec       *spec.Class // as the file has it, for places
	Name       spec.Name
	Outcome    string // transient or permanent
	When       []*Condition
	RetryAfter bool    // honour the server's
	Budget     string  // failures or throttles
	Ladder     *Ladder // nil: the tier's, else the queue's
}

// Condition is one way to match. Exactly one of its fields is set.
type Condition struct {
	Pos      diag.Pos
	HTTP     []Status
	Is, As   *GoRef
	SQLState []spec.Name
	Message  spec.Name
	Event    Event
}

// Status is one HTTP status, or with Family a whole family of them: Code is 4 for 4xx.
type Status struct {
	Code   int
	Family bool
	Pos    diag.Pos
	Width  int
}

// Event is an end of a run that is no error of the handler's.
type Event string

// The events that a class can name.
const (
	NoEvent     Event = ""
	Timeout     Event = "timeout"
	Crash       Event = "crash"
	Panic       Event = "panic"
	Undecodable Event = "undecodable"
	Invalid     Event = "invalid"
)

// GoRef is a Go identifier: of the package at Path, or declared by the emitted package where Path is empty.
type GoRef struct {
	Pointer bool // of a type: *net.OpError
	Path    string
	Import  string // name to import Path under: net for net, acmestorage for github.com/acme/storage
	Name    string
	At      spec.Name
}

// Ladder is a list of waits, an exponential one written out.
type Ladder struct {
	Spec     *spec.Ladder // as the file has it, for places
	Name     spec.Name
	GoName   string // of the emitted variable: standardLadder
	Rungs    []spec.At[time.Duration]
	Min, Max float64 // jitter factors
	Comment  string  // how the file says it, where that is not the rungs: exponential: first 1m, factor 2, cap 1h
}

// Tenants says whose a job is, and which ladder it climbs for that.
type Tenants struct {
	ID      string // field names; Tier may be empty
	Tier    string
	Ladders []TierLadder
}

// TierLadder is the ladder of one tier.
type TierLadder struct {
	Tier   spec.Name
	Ladder *Ladder
}

// Queue is one queue.
type Queue struct {
	Spec           *spec.Queue // as the file has it, for places
	Name           spec.Name
	GoName         string // of the payload type: MerchantDocThumbnails
	Var            string // of the emitted table: merchantDocThumbnailsQueue
	Payload        *Struct
	Key            []*Field // nil: jobs of this queue have no key
	TenantID, Tier *Field   // nil: this queue's payload has no such field
	Columns        []*Field // by index of Ledger.Columns; nil where the payload has no such field
	Ladder         *Ladder
	Concurrency    int
	Timeout, Lease spec.At[time.Duration]
	Downstream     *Downstream // nil: nothing is known of what its handlers call
	SQLFunction    string      // to enqueue with, prefix included; empty where the dialect has none, or the payload is in the message
	Backend        *Backend    // nil: no broker is told of its jobs
	Objectives     Objectives
}

// Downstream is what a service takes: Requests in the time Per, of runs that take Run and more.
type Downstream struct {
	Requests, Processes int
	Per, Run            time.Duration
}

// Backend is a queue at a message broker, whose messages say that a job is due, or carry it.
type Backend struct {
	Spec       *spec.Backend // as the file has it, for places
	Broker     *broker.Broker
	Variable   string // of the environment: the URL of the queue at SQS, that of the server at RabbitMQ, the API key at Infrai
	BaseURL    string // of the environment too: the address of Infrai; empty: its own
	PushSecret string // of the environment too: with which Infrai signs what it posts; empty: it posts nothing
	Queue      string // its name at the broker; empty at SQS, where it is in the URL
	Carried    bool   // the payload is in the message, and its arrival makes the job
	DeadLetter bool   // the message of a dead job goes to the broker's own dead letters
}

// Webhook is one webhook.
type Webhook struct {
	Spec      *spec.Webhook // as the file has it, for places
	Name      spec.Name
	GoName    string // of the function that makes its handler: KYCDocumentUploadedWebhook
	Var       string // of the emitted table: kycDocumentUploadedWebhook
	Queue     *Queue
	Signature Signature
	Fields    []Mapped // in the order of the file
	Only      *Only    // nil: each delivery makes a job
	MaxBody   int      // bytes
}

// Only is the deliveries that make a job: those with one of some texts in one place.
type Only struct {
	From Mapped // which has no Field
	Is   []string
}

// Signature is how the sender of a webhook signs.
type Signature struct {
	Scheme    Scheme
	Secrets   []string // variables of the environment, the one that must be set first
	Header    string   // of HMAC
	Base64    bool     // of HMAC: the signature is in base64, not in hexadecimal
	Prefix    string   // of HMAC: what stands in front of the signature
	Tolerance spec.At[time.Duration]
}

// Scheme is a way to sign.
type Scheme string

// The schemes.
const (
	HMAC             Scheme = "hmac_sha256"
	GitHub           Scheme = "github"
	Stripe           Scheme = "stripe"
	StandardWebhooks Scheme = "standard_webhooks"
)

// Mapped is a field of the payload and where it is in a delivery: in a header, or in the body at Path. The whole body is at
// an empty Path.
type Mapped struct {
	Field  *Field
	Header string
	Path   []string
	At     spec.Name
}

// Redrive is how dead jobs are sent back.
type Redrive struct {
	Batch, Canary, MaxGenerations int
	Every, QueueAge               time.Duration
	SameError                     bool
	ErrorShare                    float64 // a part of one
	Table                         string  // of redrives, prefix included; that of their jobs has _item behind it
}

// Prices are those of one unit each; no unit without one has a cost.
type Prices struct {
	Currency                                   string
	Publish, Request, HandlerSecond, LedgerRow float64
}

// Review is what a change of the spec may do to what it means. Bounds are by figure, as parts of what was.
type Review struct {
	MaxIncrease, MaxDecrease map[string]float64
	Forbid                   []string
}

// Struct is a payload, or a nested object of one.
type Struct struct {
	GoName string
	Of     string // what it is, for its doc comment: the payload of the queue x; the field document of the queue x
	Fields []*Field
}

// Field is one field of a Struct.
type Field struct {
	Name     spec.Name
	GoName   string
	Type     *Type
	Optional bool
	Default  any // string, int64, float64 or bool; nil: none. A time's is its RFC 3339 text
}

// Required reports whether a payload without the field is refused.
func (f *Field) Required() bool { return !f.Optional && f.Default == nil }

// Kind is what a value is.
type Kind string

// The kinds. Enum is a string with a closed list of values.
const (
	String  Kind = "string"
	Int     Kind = "int"
	Int64   Kind = "int64"
	Float64 Kind = "float64"
	Bool    Kind = "bool"
	Bytes   Kind = "bytes"
	Time    Kind = "time"
	UUID    Kind = "uuid"
	JSON    Kind = "json"
	Enum    Kind = "enum"
	List    Kind = "list"
	Map     Kind = "map"
	Object  Kind = "object"
)

// Type is the type of a field, of a list's items or of a map's values.
type Type struct {
	Kind   Kind
	URI    bool        // of a string: format: uri
	GoName string      // of an enum: the emitted type
	Values []EnumValue // of an enum
	Elem   *Type       // of a list or a map
	Struct *Struct     // of an object
}

// EnumValue is one value of an enum.
type EnumValue struct {
	Value  spec.Name
	GoName string // of the emitted constant
}

// Ledger is the tables in the product's database.
type Ledger struct {
	Dialect                *dialect.Dialect
	Prefix                 string
	JobTable, AttemptTable string // prefix included
	DeadLetterView         string
	Retention              *Retention // nil: nothing is ever purged
	Columns                []Column
	Dropped                map[string]string // why a column may be dropped, by its name
	DetailMax              int               // bytes
	Redact                 []Redaction
}

// Retention is how long finished jobs are kept, from their end.
type Retention struct {
	Attempts   spec.At[time.Duration] // of jobs without a key
	Keys       time.Duration          // with a key: the job's row and its attempts together; not below Attempts
	PurgeTable string                 // the record of what was purged, prefix included
}

// Column is copied from the payload onto every row.
type Column struct {
	Name    spec.Name
	Type    string // text, integer, real, boolean or timestamp
	From    spec.Name
	Index   bool
	Retyped spec.Retyping // allows one change of the type
}

// Migrations are those that are there, and what the next one has to change. Changes is empty where there are none: then
// the first one makes the tables.
type Migrations struct {
	Record  migrate.Record
	Changes []migrate.Change
}

// Redaction is a built-in pattern (email, card_number, bearer), or one of the team's own where Pattern is set.
type Redaction struct{ Name, Pattern string }
