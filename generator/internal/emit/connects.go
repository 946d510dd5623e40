package emit

import (
	"github.com/retryc/retryc/generator/internal/plan"
)

// connects makes, for a queue with a broker:
//
//	// ConnectWeeklyDigest announces the jobs of the queue weekly-digest on the queue at Amazon SQS whose URL is in the environment
//	// variable DIGEST_QUEUE_URL. Call it once, before the first enqueue and before Run; Close of the store ends it.
//	func ConnectWeeklyDigest(ctx context.Context, store *Store, client *sqs.Client) error {
//		url, err := variable("DIGEST_QUEUE_URL")
//		if err != nil {
//			return err
//		}
//		queue, err := connectSQS(ctx, client, url)
//		return store.attach(&weeklyDigestQueue, queue, err)
//	}
//
// and, where the payloads are rows, what announces the jobs of a transaction.
func connects(s *goText, q *plan.Queue) {
	name, b := "Connect"+q.GoName, q.Backend
	given := "ctx " + s.qual("context", "Context") + ", store *Store"
	where := "the queue " + b.Queue + " at " + b.Broker.Title
	at := quoted(b.Queue)
	var call, variable string
	switch b.Broker.Name {
	case "sqs":
		where = "the queue at " + b.Broker.Title + " whose URL is in the environment variable " + b.Variable
		given += ", client *" + s.qual("github.com/aws/aws-sdk-go-v2/service/sqs", "Client")
		variable, call = "url", "connectSQS(ctx, client, url)"
	case "rabbitmq":
		where += ", on the server whose URL is in the environment variable " + b.Variable
		variable, call = "url", "connectRabbitMQ(ctx, url, "+at+")"
	case "infrai":
		where += ", with the API key in the environment variable " + b.Variable
		given += ", client *" + s.qual("net/http", "Client")
		variable, call = "key", "connectInfrai(ctx, client, "
		if b.BaseURL == "" {
			call += `"", key, ` + at + ")"
		} else {
			where += " and the address in " + b.BaseURL
			call += "url, key, " + at + ")"
		}
	}
	var body []string
	read := func(name, from string) {
		body = append(body, name+", err := variable("+quoted(from)+")", "if err != nil {", "\treturn err", "}")
	}
	if b.BaseURL != "" {
		read("url", b.BaseURL)
	}
	read(variable, b.Variable)
	body = append(body, "queue, err := "+call, "return store.attach(&"+q.Var+", queue, err)")

	s.doc(name + " announces the jobs of the queue " + q.Name.V + " on " + where + ". Call it once, before the first enqueue and before Run; Close of the store ends it.")
	s.lines(block("func "+name+"("+given+") error {", body...)...)

	if b.Carried {
		return
	}
	s.doc("Announce" + q.GoName + " announces jobs that Enqueue" + q.GoName + "Tx has made. Call it after the commit; without it, workers find them at their next poll.")
	s.lines(block("func Announce"+q.GoName+"(store *Store, receipts ...Receipt) {", "store.announceNew(&"+q.Var+", receipts)")...)
}
