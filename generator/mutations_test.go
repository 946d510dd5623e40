package generator_test

// mutation changes one leaf of the format in a golden spec. An edit is a text to find and what to put there, in pairs.
type mutation struct {
	leaf  string
	in    string   // the case in golden/
	edit  []string // what is changed
	given []string // made of the spec first, where no case has the leaf
	also  []string // leaves that cannot but change along
	was   []string // what is edited to have the spec whose tables are there; nil where there are none
	shows string   // what then comes out; empty where anything that differs will do
}

const comment = "it is a comment in the migration, as golden/migrations has it"

const ofDiff = "retryc print and retryc diff read it: TestDiffSeesEveryFieldOfTheFormat"

// without are the leaves that have one value only, or that change nothing but whether a spec is refused.
var without = map[string]string{
	"ledger.dropped[].name":           "another name is refused: TestChangesOfTheTables",
	"ledger.dropped[].reason":         comment,
	"ledger.columns[].retyped.from":   "another type is refused: TestChangesOfTheTables",
	"ledger.columns[].retyped.reason": comment,

	"prices.currency":                  ofDiff,
	"prices.publish":                   ofDiff,
	"prices.request":                   ofDiff,
	"prices.handler_second":            ofDiff,
	"prices.ledger_row":                ofDiff,
	"review.max_increase.attempts":     ofDiff,
	"review.max_increase.longest_wait": ofDiff,
	"review.max_increase.window":       ofDiff,
	"review.max_increase.runs":         ofDiff,
	"review.max_increase.handler_time": ofDiff,
	"review.max_increase.messages":     ofDiff,
	"review.max_increase.requests":     ofDiff,
	"review.max_increase.ledger_rows":  ofDiff,
	"review.max_increase.cost":         ofDiff,
	"review.max_decrease.attempts":     ofDiff,
	"review.max_decrease.longest_wait": ofDiff,
	"review.max_decrease.window":       ofDiff,
	"review.max_decrease.runs":         ofDiff,
	"review.max_decrease.handler_time": ofDiff,
	"review.max_decrease.messages":     ofDiff,
	"review.max_decrease.requests":     ofDiff,
	"review.max_decrease.ledger_rows":  ofDiff,
	"review.max_decrease.cost":         ofDiff,
	"review.forbid[]":                  ofDiff,

	"version": "there is one version of the format",
}

const tags, prices = "tags: {type: list, items: string}", "prices: {type: map, values: int64}"

const sqsURL, rabbitURL, infraiKey = "queue_url_env: THUMBNAILS_QUEUE_URL", "url_env: RABBITMQ_URL", "key_env: INFRAI_API_KEY"

var mutations = []mutation{
	{leaf: "generate.package", in: "minimal", edit: []string{"package: jobs", "package: work"}},
	{leaf: "generate.go", in: "minimal", edit: []string{"go: jobs", "go: work"}},
	{leaf: "generate.typescript", in: "brokers", edit: []string{"typescript: node", "typescript: web"}},
	{leaf: "generate.migrations.dir", in: "classes", edit: []string{"dir: db", "dir: sql"}},
	{leaf: "generate.migrations.format", in: "classes", edit: []string{"golang-migrate", "plain"}},
	{leaf: "generate.migrations.number", in: "classes", edit: []string{"number: 12", "number: 13"}},

	{leaf: "caps.attempts", in: "classes", edit: []string{"attempts: 5", "attempts: 4"}},
	{leaf: "caps.throttles", in: "classes", edit: []string{"throttles: 9", "throttles: 10"}},
	{leaf: "caps.crashes", in: "classes", edit: []string{"crashes: 2", "crashes: 3"}},
	{leaf: "caps.interrupts", in: "classes", edit: []string{"interrupts: 7", "interrupts: 8"}},
	{leaf: "caps.snoozes", in: "classes", edit: []string{"snoozes: 3", "snoozes: 4"}},
	{leaf: "caps.delay", in: "classes", edit: []string{"delay: 90s", "delay: 2m"}},
	{leaf: "caps.retry_after", in: "classes", edit: []string{"retry_after: 10m", "retry_after: 11m"}},
	{leaf: "caps.window", in: "classes", edit: []string{"window: 3h30m", "window: 4h"}},

	{leaf: "error_classes[].name", in: "flagship", edit: []string{"name: gone", "name: vanished"}},
	{leaf: "error_classes[].outcome", in: "flagship", edit: []string{"gone\n    outcome: permanent", "gone\n    outcome: transient"}},
	{leaf: "error_classes[].retry_after", in: "flagship", edit: []string{"retry_after: honor", "retry_after: ignore"}},
	{leaf: "error_classes[].budget", in: "flagship", edit: []string{"budget: throttles", "budget: failures"}},
	{leaf: "error_classes[].ladder", in: "flagship", edit: []string{"ladder: gentle", "ladder: short"}},
	{leaf: "error_classes[].when[].http", in: "classes", edit: []string{"http: 4xx", "http: 5xx"}},
	{leaf: "error_classes[].when[].http[]", in: "classes", edit: []string{"[420, 429]", "[420, 430]"}},
	{leaf: "error_classes[].when[].is", in: "classes", edit: []string{"os.ErrNotExist", "os.ErrExist"}},
	{leaf: "error_classes[].when[].as", in: "classes", edit: []string{"*net/url.Error", "*net.OpError"}},
	{leaf: "error_classes[].when[].sqlstate", in: "classes", edit: []string{`"40001"`, `"40P01"`}},
	{leaf: "error_classes[].when[].sqlstate[]", in: "classes", edit: []string{`"57P01"`, `"57P02"`}},
	{leaf: "error_classes[].when[].payload", in: "flagship", edit: []string{"payload: invalid", "payload: undecodable"}},
	{leaf: "error_classes[].when[].message", in: "classes", edit: []string{"(?i)no such", "no such"}},
	{leaf: "error_classes[].when[].timeout", in: "classes", edit: []string{"[{timeout: true}]", "[{http: 511}]"}, also: []string{"error_classes[].when[].http"}},
	{leaf: "error_classes[].when[].crash", in: "classes", edit: []string{"[{crash: true}]", "[{http: 511}]"}, also: []string{"error_classes[].when[].http"}},
	{leaf: "error_classes[].when[].panic", in: "classes", edit: []string{"[{panic: true}]", "[{http: 511}]"}, also: []string{"error_classes[].when[].http"}},
	{leaf: "unmatched", in: "flagship", edit: []string{"unmatched: transient", "unmatched: permanent"}},

	{leaf: "ladders.(name)", in: "minimal", edit: []string{"standard", "usual"}, also: []string{"default_ladder"}},
	{leaf: "ladders.*.rungs[]", in: "minimal", edit: []string{"2m", "3m"}},
	{leaf: "ladders.*.exponential.first", in: "classes", edit: []string{"first: 500ms", "first: 400ms"}},
	{leaf: "ladders.*.exponential.factor", in: "classes", edit: []string{"factor: 1.5", "factor: 2"}},
	{leaf: "ladders.*.exponential.cap", in: "classes", edit: []string{"cap: 1m", "cap: 5s"}},
	{leaf: "ladders.*.exponential.rungs", in: "classes", edit: []string{"rungs: 8", "rungs: 7"}},
	{leaf: "ladders.*.jitter", in: "classes", edit: []string{"jitter: 10%", "jitter: 20%"}},
	{leaf: "ladders.*.jitter.min", in: "classes", edit: []string{"min: 1,", "min: 0.5,"}},
	{leaf: "ladders.*.jitter.max", in: "classes", edit: []string{"max: 1.5", "max: 2"}},
	{leaf: "default_ladder", in: "flagship", edit: []string{"default_ladder: standard", "default_ladder: short"}},

	{leaf: "tenants.id", in: "flagship", edit: []string{"id: merchant_id\n  tier", "id: event_id\n  tier"}},
	{leaf: "tenants.tier", in: "flagship", edit: []string{"tier: plan", "tier: merchant_id"}},
	{leaf: "tenants.ladders.(name)", in: "classes", edit: []string{`"1": vip`, `"2": vip`}},
	{leaf: "tenants.ladders.*", in: "flagship", edit: []string{"paid: gentle", "paid: standard"}},

	{leaf: "ledger.dialect", in: "minimal", edit: []string{"dialect: sqlite", "dialect: postgres"}, shows: "jsonb_to_recordset"},

	{leaf: "queues.(name)", in: "minimal", edit: []string{"welcome-email", "goodbye-email"}},
	{leaf: "queues.*.go_name", in: "payloads", edit: []string{"go_name: EveryKind", "go_name: AnyKind"}},
	{leaf: "queues.*.idempotency_key[]", in: "flagship", edit: []string{"idempotency_key: [event_id]", "idempotency_key: [source_url]"}},
	{leaf: "queues.*.ladder", in: "classes", edit: []string{"ladder: vip", "ladder: spread"}},
	{leaf: "queues.*.concurrency", in: "classes", edit: []string{"concurrency: 200", "concurrency: 201"}},
	{leaf: "queues.*.timeout", in: "classes", edit: []string{"timeout: 2m", "timeout: 1m"}},
	{leaf: "queues.*.lease", in: "classes", edit: []string{"lease: 5s", "lease: 10s"}},

	{leaf: "queues.*.backend.sqs.queue_url_env", in: "brokers", edit: []string{"queue_url_env: THUMBNAILS_QUEUE_URL", "queue_url_env: IMAGES_QUEUE_URL"}},
	{leaf: "queues.*.backend.rabbitmq.url_env", in: "brokers", edit: []string{"url_env: RABBITMQ_URL", "url_env: AMQP_URL"}},
	{leaf: "queues.*.backend.rabbitmq.queue", in: "brokers", edit: []string{"queue: shop.digest", "queue: store.digest"}},
	{leaf: "queues.*.backend.infrai.key_env", in: "brokers", edit: []string{"key_env: INFRAI_API_KEY", "key_env: QUEUE_API_KEY"}},
	{leaf: "queues.*.backend.infrai.base_url_env", in: "brokers", edit: []string{"base_url_env: INFRAI_URL", "base_url_env: QUEUE_URL"}},
	{leaf: "queues.*.backend.infrai.queue", in: "brokers", edit: []string{"queue: shop-webhooks", "queue: store-webhooks"}},

	{leaf: "queues.*.backend.sqs.payload_in", in: "brokers", given: []string{sqsURL, sqsURL + ", payload_in: row"}, edit: []string{"payload_in: row", "payload_in: message"}},
	{leaf: "queues.*.backend.sqs.native_dead_letter", in: "brokers", given: []string{sqsURL, sqsURL + ", payload_in: message, native_dead_letter: false"},
		edit: []string{"native_dead_letter: false", "native_dead_letter: true"}},
	{leaf: "queues.*.backend.rabbitmq.payload_in", in: "brokers", given: []string{rabbitURL, rabbitURL + ", payload_in: row"}, edit: []string{"payload_in: row", "payload_in: message"}},
	{leaf: "queues.*.backend.rabbitmq.native_dead_letter", in: "brokers", given: []string{rabbitURL, rabbitURL + ", payload_in: message, native_dead_letter: false"},
		edit: []string{"native_dead_letter: false", "native_dead_letter: true"}},
	{leaf: "queues.*.backend.infrai.payload_in", in: "brokers", given: []string{infraiKey, infraiKey + ", payload_in: row"}, edit: []string{"payload_in: row", "payload_in: message"}},
	{leaf: "queues.*.backend.infrai.native_dead_letter", in: "brokers", given: []string{infraiKey, infraiKey + ", payload_in: message, native_dead_letter: false"},
		edit: []string{"native_dead_letter: false", "native_dead_letter: true"}},

	{leaf: "queues.*.payload.(name)", in: "minimal", edit: []string{"customer_id", "client_id"}},
	{leaf: "queues.*.payload.*", in: "minimal", edit: []string{"customer_id: string", "customer_id: uuid"}},
	{leaf: "queues.*.payload.*.type", in: "flagship", edit: []string{"{type: int, default: 640}", "{type: int64, default: 640}"}},
	{leaf: "queues.*.payload.*.enum[]", in: "flagship", edit: []string{"[jpeg, png]", "[jpeg, gif]"}},
	{leaf: "queues.*.payload.*.format", in: "flagship", edit: []string{"{type: string, format: uri}", "{type: string}"}},
	{leaf: "queues.*.payload.*.items", in: "payloads", edit: []string{"{type: list, items: string", "{type: list, items: int"}},
	{leaf: "queues.*.payload.*.values", in: "payloads", edit: []string{prices, "prices: {type: map, values: int}"}},
	{leaf: "queues.*.payload.*.fields", in: "payloads", edit: []string{"size: {type: int, default: 1}", "size: {type: int, default: 2}"}},
	{leaf: "queues.*.payload.*.optional", in: "flagship", edit: []string{"optional: true", "optional: false"}},
	{leaf: "queues.*.payload.*.default", in: "payloads", edit: []string{"default: 0.5", "default: 0.25"}},
	{leaf: "queues.*.payload.*.go_name", in: "payloads", edit: []string{"go_name: Kind", "go_name: Sort"}},

	{leaf: "queues.*.payload.*.items.type", in: "payloads", given: []string{tags, "tags: {type: list, items: {type: string}}"}, edit: []string{"{type: string}}", "{type: int}}"}},
	{leaf: "queues.*.payload.*.items.enum[]", in: "payloads", edit: []string{"[low, high]", "[low, top]"}},
	{leaf: "queues.*.payload.*.items.format", in: "payloads", given: []string{tags, "tags: {type: list, items: {type: string, format: uri}}"},
		edit: []string{"items: {type: string, format: uri}", "items: {type: string}"}},
	{leaf: "queues.*.payload.*.items.items", in: "payloads", edit: []string{"{type: list, items: int}}", "{type: list, items: bool}}"}},
	{leaf: "queues.*.payload.*.items.values", in: "payloads", given: []string{tags, "tags: {type: list, items: {type: map, values: int}}"},
		edit: []string{"{type: map, values: int}", "{type: map, values: bool}"}},
	{leaf: "queues.*.payload.*.items.fields", in: "payloads", given: []string{tags, "tags: {type: list, items: {type: object, fields: {a: int}}}"},
		edit: []string{"{a: int}", "{a: bool}"}},

	{leaf: "queues.*.payload.*.values.type", in: "payloads", given: []string{prices, "prices: {type: map, values: {type: string}}"}, edit: []string{"{type: string}}", "{type: int}}"}},
	{leaf: "queues.*.payload.*.values.enum[]", in: "payloads", given: []string{prices, "prices: {type: map, values: {type: string, enum: [a, b]}}"}, edit: []string{"[a, b]", "[a, c]"}},
	{leaf: "queues.*.payload.*.values.format", in: "payloads", given: []string{prices, "prices: {type: map, values: {type: string, format: uri}}"},
		edit: []string{"values: {type: string, format: uri}", "values: {type: string}"}},
	{leaf: "queues.*.payload.*.values.items", in: "payloads", given: []string{prices, "prices: {type: map, values: {type: list, items: time}}"},
		edit: []string{"items: time", "items: bool"}},
	{leaf: "queues.*.payload.*.values.values", in: "payloads", given: []string{prices, "prices: {type: map, values: {type: map, values: int}}"},
		edit: []string{"{type: map, values: int}", "{type: map, values: bool}"}},
	{leaf: "queues.*.payload.*.values.fields", in: "payloads", edit: []string{"{id: uuid}", "{id: int}"}},

	{leaf: "worker.poll", in: "flagship", edit: []string{"poll: 1s", "poll: 2s"}},
	{leaf: "worker.grace", in: "flagship", edit: []string{"grace: 25s", "grace: 20s"}},

	{leaf: "redrive.batch", in: "redriven", edit: []string{"batch: 4", "batch: 5"}},
	{leaf: "redrive.every", in: "redriven", edit: []string{"every: 100ms", "every: 1s"}},
	{leaf: "redrive.canary", in: "redriven", edit: []string{"canary: 2", "canary: 3"}},
	{leaf: "redrive.stop_when.same_error", in: "redriven", edit: []string{"same_error: true", "same_error: false"}},
	{leaf: "redrive.stop_when.error_share", in: "redriven", edit: []string{"error_share: 50%", "error_share: 51%"}},
	{leaf: "redrive.stop_when.queue_age", in: "redriven", edit: []string{"queue_age: 5m", "queue_age: 6m"}},
	{leaf: "redrive.max_generations", in: "redriven", edit: []string{"max_generations: 3", "max_generations: 4"}},

	{leaf: "ledger.prefix", in: "payloads", edit: []string{"prefix: work_", "prefix: jobs_"}},
	{leaf: "ledger.tables.job", in: "classes", edit: []string{"refund_and_charge", "work_item"}},
	{leaf: "ledger.tables.attempt", in: "classes", edit: []string{"every_attempt", "each_attempt"}},
	{leaf: "ledger.columns[].name", in: "flagship", edit: []string{"name: merchant_id", "name: merchant"}},
	{leaf: "ledger.columns[].type", in: "payloads", edit: []string{"name: urgent, type: boolean, from: urgent", "name: urgent, type: text, from: colour"},
		also: []string{"ledger.columns[].from"}, shows: "urgent text,"},
	{leaf: "ledger.columns[].from", in: "payloads", edit: []string{"from: account, index", "from: count, index"}},
	{leaf: "ledger.columns[].index", in: "flagship", edit: []string{"index: true", "index: false"}},
	{leaf: "ledger.columns[].renamed_from", in: "flagship", edit: []string{"renamed_from: shop", "renamed_from: store"},
		given: []string{"    - {name: merchant_id, type: text, from: merchant_id, index: true}\n",
			"    - {name: merchant_id, type: text, from: merchant_id, renamed_from: shop}\n  dropped: [{name: shop, reason: x}, {name: store, reason: x}]\n"},
		was: []string{"    - {name: merchant_id, type: text, from: merchant_id, renamed_from: shop}\n  dropped: [{name: shop, reason: x}, {name: store, reason: x}]\n",
			"    - {name: shop, type: text, from: merchant_id}\n    - {name: store, type: text, from: plan}\n"},
		shows: "rename column store to merchant_id"},
	{leaf: "ledger.retention.attempts", in: "flagship", edit: []string{"attempts: 400d", "attempts: 401d"}},
	{leaf: "ledger.retention.keys", in: "flagship", edit: []string{", keys: 800d", ""}, shows: "keys : 9600"},
	{leaf: "ledger.error_detail.max", in: "classes", edit: []string{"max: 512B", "max: 1KB"}},
	{leaf: "ledger.error_detail.redact[]", in: "classes", edit: []string{"[bearer, card_number, email,", "[bearer, email,"}},
	{leaf: "ledger.error_detail.redact[].name", in: "classes", edit: []string{"name: api_key", "name: token"}},
	{leaf: "ledger.error_detail.redact[].pattern", in: "classes", edit: []string{"sk_(live", "pk_(live"}},
}
