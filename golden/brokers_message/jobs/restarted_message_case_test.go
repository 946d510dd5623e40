package jobs

import (
	"errors"
	"os"
	"testing"
	"time"

	"github.com/retryc/retryc/golden/rabbitserver"
)

func TestBrokerThatIsKilledInTheMiddleLosesNoJobThatItHasTaken(t *testing.T) {
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
	s.over(jobs) // the queues that hold messages back are there, and old enough to outlive the server
	time.Sleep(2 * time.Second)
	for range 3 {
		jobs += s.enqueue(20)
		time.Sleep(100 * time.Millisecond)
		if err := server.Kill(); err != nil {
			t.Fatal(err)
		}
		time.Sleep(500 * time.Millisecond)
		if err := server.Start(); err != nil {
			t.Fatal(err)
		}
		s.over(jobs)
	}
	for _, stop := range stops {
		stop()
	}
}
