package emit

import (
	"fmt"

	"github.com/retryc/retryc/generator/internal/plan"
)

// atBrokers are the queues with a broker: those whose jobs are rows that messages announce, and those whose messages carry them.
func atBrokers(p *plan.Plan) (announced, carried []*plan.Queue) {
	for _, q := range p.Queues {
		switch {
		case q.Backend == nil:
		case q.Backend.Carried:
			carried = append(carried, q)
		default:
			announced = append(announced, q)
		}
	}
	return announced, carried
}

// brokersInWords says what goes through a broker, and what that is worth.
func brokersInWords(text *prose, p *plan.Plan) {
	text.heading("Brokers")
	announced, carried := atBrokers(p)
	if len(announced) > 0 {
		announcedInWords(text, announced)
	}
	if len(carried) > 0 {
		carriedInWords(text, carried)
	}
}

func announcedInWords(text *prose, queues []*plan.Queue) {
	text.paragraph("The jobs of some queues are announced by messages. A message only says which attempt of a job is due: the job is a row of the " +
		"database, as everywhere, and the message is removed once the claim has committed. One that is lost, late, early, doubled or out of order costs no more than " +
		"the wait for the next poll, and a broker that is away costs that for each job. Its own retries, retention and dead letters decide nothing.")
	for _, q := range queues {
		b := q.Backend.Broker
		text.item(q.Name.V + ": at " + b.Title + ", which holds a message back for " + plan.Duration(b.Limits.Delay) + " at most; a longer wait takes several")
	}
	text.paragraph("Connect each of them before it is used. An enqueue announces its jobs once it has committed; after the commit of a transaction of your own, Announce does " +
		"it. What is enqueued by the functions of SQL is found at the next poll.")
	for _, q := range queues {
		if q.Backend.PushSecret != "" {
			text.paragraph(q.Backend.Broker.Title + " posts the messages of the queue " + q.Name.V + ", once " + q.GoName + "PushHandler is served beside Run and Subscribe" + q.GoName +
				" has said where. The answer to the request acknowledges the message, or asks for it again. What is not posted is asked for every 20 s.")
		}
	}
	text.paragraph("A message that is no announcement is taken for a payload that another program has sent: its arrival makes the job, under the key of the payload or else " +
		"of the message's id, so that one that comes twice is one job. The broker holds its only copy until then.")
}

// carriedInWords says what holds of messages with payloads, and what does not.
func carriedInWords(text *prose, queues []*plan.Queue) {
	text.paragraph("The messages of some queues carry the payloads. The arrival of one makes the job's row, without the payload; the message is kept from others while " +
		"the handler runs, put back for the wait before a retry, and removed last, once the end of the job is in the database. The ledger, the policy and the " +
		"dead letters are those of every queue.")
	for _, q := range queues {
		text.item(carriedQueue(q))
	}
	text.paragraph("What that costs:")
	text.item("A message that is lost is a job that is lost: the poll cannot find what no row has. Stats counts the messages that a broker has, beside the rows that are due.")
	text.item("No job is enqueued in a transaction, and none by SQL. An enqueue returns once the broker has the job for good; where it fails, it may have sent it.")
	text.item("A key is looked at when a message comes. A second job with one does not run: it is over then, or a dead letter of the class invalid where its payload differs. The receipt of an enqueue tells of neither.")
	text.item("A broker's retention counts from when a message was sent, however often it was put back: a job that waits for longer is lost. So is one whose message has come more often than the broker allows.")
	text.item("A retry comes when its message does, and that is held back for whole seconds, or for one of RabbitMQ's steps.")
	text.item("A job that is dead has its payload in its row, as everywhere." + nativeInWords(queues))
	q := queues[0]
	key := ""
	if len(q.Key) > 0 {
		key = ` "key": "[…]",`
	}
	text.paragraph("Such a message is JSON:")
	text.code(fmt.Sprintf(`{"retryc": 1, "queue": %s, "job_id": "…", "generation": 1, "attempt": 1,%s "schema": "…", "payload": {…}}`, quoted(q.Name.V), key))
	text.paragraph("Any other JSON is taken for a bare payload, so that a program in any language sends one with the broker's client alone. Its key is the payload's, or else " +
		"the message's id. Connect each of these queues before it is used.")
}

func carriedQueue(q *plan.Queue) string {
	b := q.Backend.Broker
	kept := "keeps it until it is removed"
	if b.Limits.Retention != 0 {
		kept = "keeps it for " + plan.Duration(b.Limits.DefaultRetention) + ", or for up to " + plan.Duration(b.Limits.Retention) + " where " + b.RetentionSetting + " says so"
	}
	return fmt.Sprintf("%s: at %s, which takes a message of up to %d bytes and %s", q.Name.V, b.Title, b.Limits.Body, kept)
}

// nativeInWords names the queues whose dead letters are at the broker as well.
func nativeInWords(queues []*plan.Queue) string {
	var names []string
	for _, q := range queues {
		if q.Backend.DeadLetter {
			names = append(names, q.Name.V)
		}
	}
	if len(names) == 0 {
		return ""
	}
	return " The messages of " + listed(names, "and") + " go to the dead letters of the broker as well, for the tools that are there. One that comes back from there for a " +
		"dead job goes there again; Redrive…Messages moves back what the broker has put there by itself, of jobs that are not dead."
}

// clientOf is what the function that connects a queue takes beside the store.
func clientOf(q *plan.Queue) string {
	if q.Backend.Broker.Name == "rabbitmq" {
		return ""
	}
	return ", client"
}
