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
// and, where the payloads are rows, what announces the jobs of a transaction. Where there is a queue of dead letters to be found
// as well, connectSQSDead does both.
func connects(s *goText, q *plan.Queue) {
	name, b := "Connect"+q.GoName, q.Backend
	given := "ctx " + s.qual("context", "Context") + ", store *Store"
	where := "the queue " + b.Queue + " at " + b.Broker.Title
	at := quoted(b.Queue)
	dead := ""
	if b.DeadLetter { // which are in a queue of their own, but for Infrai
		dead = "Dead"
	}
	var call, variable string
	switch b.Broker.Name {
	case "sqs":
		where = "the queue at " + b.Broker.Title + " whose URL is in the environment variable " + b.Variable
		given += ", client *" + s.qual("github.com/aws/aws-sdk-go-v2/service/sqs", "Client")
		variable, call = "url", "connectSQS"+dead+"(ctx, client, url)"
	case "rabbitmq":
		where += ", on the server whose URL is in the environment variable " + b.Variable
		variable, call = "url", "connectRabbitMQ"+dead+"(ctx, url, "+at+")"
	case "infrai":
		where += ", with the API key in the environment variable " + b.Variable
		given += ", client *" + s.qual("net/http", "Client")
		url := `""`
		if b.BaseURL != "" {
			where += " and the address in " + b.BaseURL
			url = "url"
		}
		variable, call = "key", "connectInfrai(ctx, client, "+url+", key, "+at+")"
		if b.PushSecret != "" {
			call = "connectInfraiPush(ctx, client, " + url + ", key, " + at + ", secret)"
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
	if b.PushSecret != "" {
		read("secret", b.PushSecret)
	}
	body = append(body, "queue, err := "+call, "return store.attach(&"+q.Var+", queue, err)")

	does := " announces the jobs of the queue "
	if b.Carried {
		does = " sends the jobs of the queue "
	}
	s.doc(name + does + q.Name.V + " on " + where + ". Call it once, before the first enqueue and before Run; Close of the store ends it.")
	s.lines(block("func "+name+"("+given+") error {", body...)...)

	if b.DeadLetter {
		s.doc("Redrive" + q.GoName + "Messages moves at most limit of the messages that lie in the dead letters of " + b.Broker.Title + " back into the queue " + q.Name.V +
			", and answers how many. That is for those which the broker has put there by itself: one whose job is dead goes back there when it comes, since its job runs again only by a decision about the job.")
		s.lines(block("func Redrive"+q.GoName+"Messages(ctx "+s.qual("context", "Context")+", store *Store, limit int) (moved int, err error) {",
			"return store.redriveMessages(ctx, &"+q.Var+", limit)")...)
	}
	if b.PushSecret != "" {
		pushes(s, q)
	}
	if b.Carried {
		return
	}
	s.doc("Announce" + q.GoName + " announces jobs that Enqueue" + q.GoName + "Tx has made. Call it after the commit; without it, workers find them at their next poll.")
	s.lines(block("func Announce"+q.GoName+"(store *Store, receipts ...Receipt) {", "store.announceNew(&"+q.Var+", receipts)")...)
}

// pushes makes, for a queue whose messages are posted too:
//
//	// WebhooksPushHandler takes the messages of the queue webhooks that Infrai posts, …
//	func WebhooksPushHandler(store *Store) http.Handler {
//		return store.pushes(&webhooksQueue)
//	}
//
// and what asks for that.
func pushes(s *goText, q *plan.Queue) {
	name, b := q.GoName+"PushHandler", q.Backend
	s.doc(name + " takes the messages of the queue " + q.Name.V + " that " + b.Broker.Title + " posts, signed with the secret in the environment variable " + b.PushSecret +
		". Serve it from a process that runs " + q.GoName + "Worker: where nobody takes a message, it is to come again.")
	s.lines(block("func "+name+"(store *Store) "+s.qual("net/http", "Handler")+" {", "return store.pushes(&"+q.Var+")")...)

	s.doc("Subscribe" + q.GoName + " has " + b.Broker.Title + " post the messages of the queue " + q.Name.V + " to an address, such as https://example.com/queue, where " + name +
		" is served. Call it once, after Connect" + q.GoName + "; again with the same address it changes nothing.")
	s.lines(block("func Subscribe"+q.GoName+"(ctx "+s.qual("context", "Context")+", store *Store, address string) error {",
		"return store.subscribe(ctx, &"+q.Var+", address)")...)
}
