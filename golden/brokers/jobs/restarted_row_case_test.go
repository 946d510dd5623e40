package jobs

import (
	"errors"
	"os"
	"testing"
	"time"

	"github.com/retryc/retryc/golden/rabbitserver"
)

func TestBrokerThatIsKilledInTheMiddleCostsNoJob(t *testing.T) {
	server, err := rabbitserver.New()
	if err != nil {
		if errors.Is(err, rabbitserver.ErrMissing) && os.Getenv("CI") != "true" {
			t.Skip(err)
		}
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = server.Close() })
	at := place{"rabbitmq", server.URL(), "killed"}
	b, err := at.connect(t.Context())
	s := newStation(t, b, err)
	second, err := at.connect(t.Context())
	other := s.open(second, err)
	stops := []func(){s.work(s.store), s.work(other)}
	jobs := s.enqueue(8)
	s.over(jobs) // the queues that hold messages back are there
	jobs += s.enqueue(20)
	time.Sleep(100 * time.Millisecond)
	if err := server.Kill(); err != nil {
		t.Fatal(err)
	}
	jobs += s.enqueue(20) // nobody can be told: the poll finds them
	s.over(jobs)
	if err := server.Start(); err != nil {
		t.Fatal(err)
	}
	told := "select message_id from " + ledgerTable + " where message_id is not null and attempted_at > "
	back := s.texts("select now()::text")[0]
	for end := time.Now().Add(60 * time.Second); len(s.texts(told+"'"+back+"'")) == 0; time.Sleep(500 * time.Millisecond) { // messages begin jobs again
		if time.Now().After(end) {
			t.Fatal("no job was begun by a message after the restart")
		}
		jobs += s.enqueue(4)
	}
	s.over(jobs)
	for _, stop := range stops {
		stop()
	}
}
