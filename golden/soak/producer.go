//go:build unix

package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strconv"
	"time"
)

// batch is how many jobs are enqueued at once, and ahead how many wait at most.
const (
	batch = 250
	ahead = 5000
)

// producer enqueues to both queues in turn. Events of the keyed one come again and again, and until their enqueue has an
// answer.
type producer struct {
	store      *store
	enqueued   map[string]bool
	events     int
	duplicates int
	untold     int // jobs without a key whose enqueue had no answer: nobody knows whether they are there
}

// ends are what becomes of jobs, in hundredths.
var ends = []struct {
	does string
	of   int
}{
	{"nothing", 70}, {"fail once", 12}, {"fail", 4}, {"refuse", 4}, {"snooze once", 3}, {"panic once", 3}, {"exit once", 2}, {"slow", 2},
}

func does(n int) string {
	for n %= 100; ; {
		for _, e := range ends {
			if n -= e.of; n < 0 {
				return e.does
			}
		}
	}
}

func (p *producer) run(ctx context.Context, jobs int) {
	for len(p.enqueued) < jobs && ctx.Err() == nil {
		if p.full() {
			time.Sleep(50 * time.Millisecond)
			continue
		}
		p.plain(ctx)
		p.paid(ctx)
	}
}

func (p *producer) full() bool {
	waiting, err := p.store.query("select count(*) from job where state = 'scheduled' and not run_alone") // which has an index on PostgreSQL
	if err != nil {
		return true
	}
	n, _ := strconv.Atoi(waiting[0])
	return n > ahead
}

func (p *producer) plain(ctx context.Context) {
	var all []string
	for i := range batch {
		all = append(all, does(i))
	}
	receipts, err := p.store.enqueuePlain(ctx, all)
	if err != nil {
		p.untold += batch
	}
	p.told(receipts)
}

func (p *producer) paid(ctx context.Context) {
	var all []order
	for i := range batch {
		event := p.events
		if p.events++; i%5 == 0 {
			event = rand.IntN(p.events)
		}
		all = append(all, order{fmt.Sprint("event ", event), does(event)})
	}
	for {
		receipts, err := p.store.enqueuePaid(context.WithoutCancel(ctx), all)
		if err == nil {
			p.told(receipts)
			return
		}
		time.Sleep(50 * time.Millisecond)
	}
}

func (p *producer) told(receipts []receipt) {
	for _, r := range receipts {
		p.enqueued[r.id] = true
		if r.duplicate {
			p.duplicates++
		}
	}
}
