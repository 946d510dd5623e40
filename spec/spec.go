// Package spec is the format of retry.yaml as Go values with their places in the file. Nothing is resolved here:
// names are not looked up and defaults are not filled in.
package spec

import (
	"time"
	"unicode/utf8"

	"github.com/retryc/retryc/spec/diag"
)

// At is a value of the file and the place where it stands. A value that the file leaves out has no place.
type At[T any] struct {
	V     T
	Pos   diag.Pos
	Width int // of its text in the file, in runes
}

// Set reports whether the file has the value.
func (a At[T]) Set() bool { return a.Pos.Valid() }

// Or is the value, or def where the file leaves it out.
func (a At[T]) Or(def T) T {
	if a.Set() {
		return a.V
	}
	return def
}

// Name is a key or a name with its place.
type Name = At[string]

// NameAt makes a Name for a text that stands at pos as it is.
func NameAt(s string, pos diag.Pos) Name { return Name{s, pos, utf8.RuneCountInString(s)} }

// Document is one retry.yaml.
type Document struct {
	Path   string // as the caller named it
	Source []byte // as it was read

	Refused map[diag.Pos]bool // where names stand that are not of their form, so that nobody looks for more in them
	Ignores []Ignore          // in the order of the file

	Version       At[int]
	Generate      Generate
	Caps          Caps
	Classes       []Class
	Unmatched     Name // transient or permanent
	Ladders       []Ladder
	LaddersPos    diag.Pos // not valid: the section is missing or refused, so that no name can be looked up in it
	DefaultLadder Name
	Tenants       Tenants
	QueuesPos     diag.Pos // likewise
	Queues        []Queue
	Webhooks      []Webhook
	Worker        Worker
	Observability Name // otel, prometheus or none
	SLO           SLO
	Ledger        Ledger
	Redrive       Redrive
	Prices        Prices
	Review        Review
}

// Generate says where the output goes. Folders are slash-separated and relative to the file.
type Generate struct {
	Package          Name
	Go               Name // folder of the Go package
	TypeScript       Name // folder of the types and producers in TypeScript
	Alerts           Name // folder of the alert rules
	MigrationsDir    Name
	MigrationsFormat Name // goose, golang-migrate or plain
	MigrationsNumber At[int]
}

// Caps are ceilings that no ladder, class or tenant passes.
type Caps struct {
	Pos                                               diag.Pos
	Attempts, Throttles, Crashes, Interrupts, Snoozes At[int]
	Delay, RetryAfter, Window                         At[time.Duration]
}

// Class is one entry of error_classes.
type Class struct {
	Name       Name
	Outcome    Name // transient or permanent
	When       []Condition
	RetryAfter Name // honor or ignore
	Budget     Name // failures or throttles
	Ladder     Name
}

// Condition is one entry of a class's when. Exactly one of its fields is set in a valid file.
type Condition struct {
	Pos      diag.Pos
	HTTP     []Name // "404", "5xx"
	Is       Name   // io.ErrUnexpectedEOF, or ErrSourceDeleted, which is declared here
	As       Name   // *net.OpError
	SQLState []Name // "40001", "08*"
	Payload  Name   // undecodable or invalid
	Message  Name   // a regular expression
	Timeout  At[bool]
	Crash    At[bool]
	Panic    At[bool]
}

// Ladder is a list of waits, written out or exponential.
type Ladder struct {
	Name        Name
	Rungs       []At[time.Duration]
	Exponential *Exponential
	Jitter      Jitter
}

// Exponential gives the rungs first, first×factor, first×factor², … none above cap.
type Exponential struct {
	Pos        diag.Pos
	First, Cap At[time.Duration]
	Factor     At[float64]
	Rungs      At[int]
}

// Jitter is the factor by which a rung is multiplied, drawn evenly from Min … Max. 25% is 0.75 … 1.25, full is
// 0 … 1, none is 1 … 1.
type Jitter struct {
	Pos      diag.Pos // not valid: left out
	Width    int
	Min, Max float64
}

// Tenants says whose a job is, and which ladder it climbs for that.
type Tenants struct {
	Pos     diag.Pos
	ID      Name // field of the payload, recorded on every row
	Tier    Name // field of the payload that chooses the ladder
	Ladders []TierLadder
}

// TierLadder is the ladder of one tier.
type TierLadder struct{ Tier, Ladder Name }

// Queue is one entry of queues.
type Queue struct {
	Name        Name
	GoName      Name
	Payload     []Field
	PayloadPos  diag.Pos // not valid: the payload is missing or refused, so that no field can be looked up in it
	Key         []Name   // fields of the payload
	KeyPos      diag.Pos
	Ladder      Name
	Concurrency At[int]
	Timeout     At[time.Duration]
	Lease       At[time.Duration]
	Downstream  Downstream
	Backend     Backend
}

// Downstream is what a service takes that the handlers of a queue call, and what is known of their runs.
type Downstream struct {
	Pos                 diag.Pos // not valid: left out
	Requests, Processes At[int]
	Per, Run            At[time.Duration]
}

// Backend is a queue at a message broker. A variable is one of the environment.
type Backend struct {
	Broker      Name // the key: sqs, rabbitmq or infrai; not set: the queue has no backend
	QueueURLEnv Name // of SQS
	URLEnv      Name // of RabbitMQ
	KeyEnv      Name // of Infrai, and so are the next two
	BaseURLEnv  Name
	PushEnv     Name
	Queue       Name // its name at RabbitMQ or Infrai
	PayloadIn   Name // row or message
	NativeDead  At[bool]
}

// Carried reports whether the messages carry the payloads.
func (b *Backend) Carried() bool { return b.PayloadIn.V == "message" }

// Variable is the one that each broker needs.
func (b *Backend) Variable() Name {
	for _, n := range []Name{b.QueueURLEnv, b.URLEnv, b.KeyEnv} {
		if n.Set() {
			return n
		}
	}
	return Name{}
}

// Webhook is one entry of webhooks.
type Webhook struct {
	Name       Name
	Enqueue    Name // the queue
	Signature  Signature
	Payload    []Mapping
	PayloadPos diag.Pos
	Only       Mapping // where the texts are; it has no Field
	OnlyIs     []Name
	MaxBody    At[int] // bytes
}

// Signature is how the sender of a webhook signs.
type Signature struct {
	Scheme    Name   // the key: hmac_sha256, github, stripe or standard_webhooks
	Secrets   []Name // variables of the environment, the one that must be set first
	Header    Name   // of hmac_sha256, and so are the next two
	Encoding  Name   // hex or base64
	Prefix    Name
	Tolerance At[time.Duration] // of the signatures that have a time in them
}

// Mapping says where a field of the payload is in a delivery. One of Path and Header is set in a valid file.
type Mapping struct{ Field, Path, Header Name }

// Field is one field of a payload or of a nested object.
type Field struct {
	Name     Name
	GoName   Name
	Type     Type
	Optional At[bool]
	Default  At[any] // string, bool, json.Number; checked against Type by plan
}

// Type is the type of a field, of a list's items or of a map's values.
type Type struct {
	Kind   Name // string, int, int64, float64, bool, bytes, time, uuid, json, list, map, object
	Enum   []Name
	Format Name    // uri
	Elem   *Type   // of a list's items or a map's values
	Fields []Field // of an object
}

// Worker is how a process behaves.
type Worker struct{ Poll, Grace At[time.Duration] }

// SLO is what the team wants to be told of its queues: for all of them, and for some in place of that.
type SLO struct {
	Pos diag.Pos
	Objectives
	Queues []QueueSLO
}

// QueueSLO is what holds for one queue.
type QueueSLO struct {
	Queue Name
	Objectives
}

// Objectives are the lines of slo. What is left out asks for nothing.
type Objectives struct {
	FailureVisibleWithin, OldestMessage At[time.Duration]
	DeadLetterGrowth                    At[Rate]
	NewFingerprint, LastRung            At[bool]
}

// Rate is so many jobs in an hour or in a day.
type Rate struct {
	Jobs int
	Per  time.Duration
}

// Redrive is how dead jobs are sent back.
type Redrive struct {
	Pos                           diag.Pos // of the section; none: there is none
	Batch, Canary, MaxGenerations At[int]
	Every, QueueAge               At[time.Duration]
	SameError                     At[bool]
	ErrorShare                    At[float64] // a part of one
}

// Prices are what the product's providers charge.
type Prices struct {
	Pos                                        diag.Pos
	Currency                                   Name
	Publish, Request, HandlerSecond, LedgerRow At[float64]
}

// Review is what a change of the spec may do to what it means.
type Review struct {
	Pos                      diag.Pos
	MaxIncrease, MaxDecrease []Bound
	Forbid                   []Name // queue_removed and so on
}

// Bound is by how much one figure may change: 0.5 is by half of what it was.
type Bound struct {
	Figure Name // attempts, longest_wait and so on
	Share  At[float64]
}

// Ledger is the tables in the product's database.
type Ledger struct {
	Pos          diag.Pos
	Dialect      Name
	Prefix       Name // in front of the name of every table, index and function
	JobTable     Name
	AttemptTable Name
	Columns      []Column
	Dropped      []Dropped
	Retention    Retention
	ErrorDetail  ErrorDetail
}

// Column is copied from the payload onto every row.
type Column struct {
	Name        Name
	Type        Name // text, integer, real, boolean or timestamp
	From        Name // field of the payload
	Index       At[bool]
	RenamedFrom Name
	Retyped     Retyping
}

// Retyping allows a change of a column's type that can lose something.
type Retyping struct {
	From   Name // the type before
	Reason Name
}

// Retention is how long finished jobs are kept, from their end: the ledger rows of those without a key, and those with a
// key as a whole.
type Retention struct{ Attempts, Keys At[time.Duration] }

// Dropped is a column that may be dropped.
type Dropped struct{ Name, Reason Name }

// ErrorDetail bounds and cleans the error text of a row.
type ErrorDetail struct {
	Max    At[int] // bytes
	Redact []Redaction
}

// Redaction is a built-in pattern by name (email, card_number, bearer), or one of the team's own.
type Redaction struct {
	Name    Name
	Pattern Name // a regular expression
}
