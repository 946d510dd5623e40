package emit

import "github.com/retryc/retryc/generator/internal/plan"

// brokersInWords says what goes through a broker, and what that is worth.
func brokersInWords(text *prose, p *plan.Plan) {
	text.heading("Brokers")
	text.paragraph("The jobs of some queues are announced by messages. A message only says which attempt of a job is due: the job is a row of the " +
		"database, as everywhere, and the message is removed once the claim has committed. One that is lost, late, early, doubled or out of order costs no more than " +
		"the wait for the next poll, and a broker that is away costs that for each job. Its own retries, retention and dead letters decide nothing.")
	for _, q := range p.Queues {
		if b := q.Backend; b != nil {
			text.item(q.Name.V + ": at " + b.Broker.Title + ", which holds a message back for " + plan.Duration(b.Broker.Limits.Delay) + " at most; a longer wait takes several")
		}
	}
	text.paragraph("Connect each of them before it is used. An enqueue announces its jobs once it has committed; after the commit of a transaction of your own, Announce does " +
		"it. What is enqueued by the functions of SQL is found at the next poll.")
	text.paragraph("A message that is no announcement is taken for a payload that another program has sent: its arrival makes the job, under the key of the payload or else " +
		"of the message's id, so that one that comes twice is one job. The broker holds its only copy until then.")
}

// clientOf is what the function that connects a queue takes beside the store.
func clientOf(q *plan.Queue) string {
	if q.Backend.Broker.Name == "rabbitmq" {
		return ""
	}
	return ", client"
}
