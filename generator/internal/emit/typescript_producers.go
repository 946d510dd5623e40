package emit

import (
	"path"

	"github.com/retryc/retryc/generator/internal/plan"
	"github.com/retryc/retryc/templates"
)

// tsProducers makes a function for each way in which a program in TypeScript can make a job; nil where there is none.
func tsProducers(p *plan.Plan) (*tsText, error) {
	var shared, functions tsText
	parts := tsParts(p)
	if len(parts) == 0 {
		return nil, nil
	}
	shared.lines("", `import type * as payloads from "./payloads_gen.js";`)
	for _, part := range parts {
		text, err := templates.FS.ReadFile(path.Join("typescript", part+".ts"))
		if err != nil {
			return nil, err
		}
		shared.WriteString("\n" + string(text))
	}
	for _, q := range p.Queues {
		if q.SQLFunction != "" {
			tsEnqueue(&functions, p, q)
		}
		if q.Backend != nil {
			tsPublish(&functions, q)
		}
	}
	shared.WriteString(functions.String())
	return &shared, nil
}

// tsParts are the files of templates/typescript that the functions call.
func tsParts(p *plan.Plan) (parts []string) {
	brokers, int64s, functions := map[string]bool{}, false, false
	for _, q := range p.Queues {
		functions = functions || q.SQLFunction != ""
		if q.Backend != nil {
			brokers[q.Backend.Broker.Name] = true
		}
		structs(q.Payload, func(s *plan.Struct) {
			int64s = int64s || anyField(s, func(f *plan.Field) bool { return tsHeld(f.Type).Kind == plan.Int64 })
		})
	}
	if functions {
		parts = append(parts, "receipt", p.Ledger.Dialect.Name)
	}
	for _, name := range []string{"sqs", "rabbitmq", "infrai"} {
		if brokers[name] {
			parts = append(parts, name)
		}
	}
	if len(parts) == 0 {
		return nil
	}
	if brokers["rabbitmq"] || brokers["infrai"] {
		parts = append(parts, "random")
	}
	if int64s {
		return append(parts, "json_bigint")
	}
	return append(parts, "json")
}

// tsEnqueue makes:
//
//	/**
//	 * Enqueues a job of the queue welcome-email. A second job with the same
//	 * customer_id is not made: the receipt tells of the first.
//	 */
//	export function enqueueWelcomeEmail(
//	  client: PostgresClient,
//	  payload: payloads.WelcomeEmail,
//	  key?: string,
//	): Promise<Receipt> {
//	  return enqueue(client, "enqueue_welcome_email", payload, key);
//	}
func tsEnqueue(s *tsText, p *plan.Plan, q *plan.Queue) {
	client := "PostgresClient"
	if p.Ledger.Dialect.Name == "mysql" {
		client = "MySQLClient"
	}
	about := " A key of your own is one that the payload does not have."
	if len(q.Key) > 0 {
		about = " A key of your own takes the place of the payload's."
	}
	s.doc("", "Enqueues a job of the queue "+q.Name.V+"."+keyNote(q)+about)
	s.call("", "export function enqueue"+q.GoName, []string{"client: " + client, "payload: payloads." + q.GoName, "key?: string"}, ": Promise<Receipt> {")
	s.call("  ", "return enqueue", []string{"client", tsString(q.SQLFunction), "payload", "key"}, ";")
	s.lines("}")
}

// tsPublish makes:
//
//	/**
//	 * Sends a payload to the queue shop.digest at RabbitMQ, and answers the message's
//	 * id. Its arrival makes a job of the queue digest, once for the id.
//	 */
//	export function publishDigest(
//	  channel: ConfirmChannel,
//	  payload: payloads.Digest,
//	  messageId: string = crypto.randomUUID(),
//	): Promise<string> {
//	  return sendToRabbitMQ(channel, "shop.digest", payload, messageId);
//	}
func tsPublish(s *tsText, q *plan.Queue) {
	b := q.Backend
	where := "the queue " + b.Queue + " at " + b.Broker.Title
	once := ", once for the id."
	if len(q.Key) > 0 {
		once = ", once for the " + listed(fieldNames(q.Key), "and") + " of the payload."
	}
	payload := "payload: payloads." + q.GoName
	var given, args []string
	send := "sendToSQS"
	switch b.Broker.Name {
	case "sqs":
		where = "the queue at " + b.Broker.Title + " whose URL is queueUrl, which the workers take from " + b.Variable
		given, args = []string{"client: SQSClient", "queueUrl: string", payload}, []string{"client", "queueUrl", "payload"}
	case "rabbitmq":
		send = "sendToRabbitMQ"
		given = []string{"channel: ConfirmChannel", payload, "messageId: string = crypto.randomUUID()"}
		args = []string{"channel", tsString(b.Queue), "payload", "messageId"}
	case "infrai":
		send = "sendToInfrai"
		given = []string{"infrai: Infrai", payload, "idempotencyKey: string = crypto.randomUUID()"}
		args = []string{"infrai", tsString(b.Queue), "payload", "idempotencyKey"}
	}
	s.doc("", "Sends a payload to "+where+", and answers the message's id. Its arrival makes a job of the queue "+q.Name.V+once)
	s.call("", "export function publish"+q.GoName, given, ": Promise<string> {")
	s.call("  ", "return "+send, args, ";")
	s.lines("}")
}
