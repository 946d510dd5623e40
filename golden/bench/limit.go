package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
)

// limitSide is the least that has to be done: claim a batch, run it, and write a ledger row an attempt in the transaction
// that deletes the job or puts it back. It has no tenants, no policy, no renewals, no dead letters, no timeouts, and an
// end of it by a count: what it is faster by is what those cost.
type limitSide struct {
	*scratch
	batch int
}

const limitTables = `create table limit_job (
  id bigint generated always as identity primary key, run_at timestamptz not null default now(), lease_until timestamptz,
  attempt int not null default 0, state smallint not null default 0, payload bytea not null
) with (fillfactor = 50);
create index limit_ready on limit_job (run_at, id) where state = 0;
create table limit_attempt (
  job_id bigint not null, attempt int not null, outcome smallint not null, started_at timestamptz not null default now(), ended_at timestamptz not null default now(),
  error text, primary key (job_id, attempt)
)`

const limitClaim = `update limit_job set state = 1, attempt = attempt + 1, lease_until = now() + interval '30 s'
where id = any(array(select id from limit_job where state = 0 and run_at <= now() order by run_at, id limit $1 for update skip locked))
returning id, attempt, payload`

const limitFinish = `with gone as (
  delete from limit_job where id = any($1::bigint[]) and state = 1 returning 1
), back as (
  update limit_job set state = 0, run_at = now(), lease_until = null where id = any($2::bigint[]) and state = 1 returning 1
), recorded as (
  insert into limit_attempt (job_id, attempt, outcome) select * from unnest($3::bigint[], $4::int[], $5::smallint[])
)
select (select count(*) from gone) + (select count(*) from back)`

func openLimit(ctx context.Context, o options, _ string, workers int) (side, error) {
	db, err := createDatabase(ctx, o.url, map[string]string{"plan_cache_mode": "force_generic_plan"})
	if err != nil {
		return nil, err
	}
	if err := db.exec(ctx, limitTables); err != nil {
		return nil, errors.Join(err, db.close())
	}
	return &limitSide{db, workers}, nil
}

func (l *limitSide) fill(ctx context.Context, from, to int) error {
	_, err := l.pool.CopyFrom(ctx, pgx.Identifier{"limit_job"}, []string{"payload"}, pgx.CopyFromSlice(to-from, func(i int) ([]any, error) {
		body, err := json.Marshal(thumbnailOf(from + i))
		return []any{body}, err
	}))
	return err
}

func (l *limitSide) add(ctx context.Context, n int) error {
	body, err := json.Marshal(thumbnailOf(n))
	if err != nil {
		return err
	}
	_, err = l.pool.Exec(ctx, "insert into limit_job (payload) values ($1)", body)
	return err
}

// limitLoops claim and finish beside each other, a batch each, and look again after limitPause where nothing was due.
const (
	limitLoops = 2
	limitPause = time.Millisecond
)

func (l *limitSide) work(ctx context.Context, handle func(n int) error, committed func(n int)) error {
	return inParallel(limitLoops, func(int) error {
		for ctx.Err() == nil {
			if err := l.cycle(context.WithoutCancel(ctx), handle, committed); err != nil {
				return err
			}
		}
		return nil
	})
}

type limitJob struct {
	id      int64
	attempt int32
	payload []byte
	number  int
	err     error
}

func (l *limitSide) cycle(ctx context.Context, handle func(n int) error, committed func(n int)) error {
	rows, err := l.pool.Query(ctx, limitClaim, l.batch)
	if err != nil {
		return err
	}
	jobs, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (j limitJob, err error) {
		err = row.Scan(&j.id, &j.attempt, &j.payload)
		return j, err
	})
	if err != nil {
		return err
	}
	if len(jobs) == 0 {
		time.Sleep(limitPause)
		return nil
	}
	var group sync.WaitGroup
	for i := range jobs {
		group.Go(func() { jobs[i].run(handle) })
	}
	group.Wait()
	return l.finish(ctx, jobs, committed)
}

func (j *limitJob) run(handle func(n int) error) {
	var t thumbnail
	if j.err = json.Unmarshal(j.payload, &t); j.err != nil {
		return
	}
	if j.number, j.err = numberOf(t.EventID); j.err == nil {
		j.err = handle(j.number)
	}
}

func (l *limitSide) finish(ctx context.Context, jobs []limitJob, committed func(n int)) error {
	var done, back, ids []int64
	var attempts []int32
	var outcomes []int16
	for _, j := range jobs {
		outcome := int16(0)
		if j.err == nil {
			done = append(done, j.id)
		} else {
			back, outcome = append(back, j.id), 1
		}
		ids, attempts, outcomes = append(ids, j.id), append(attempts, j.attempt), append(outcomes, outcome)
	}
	var ended int
	if err := l.pool.QueryRow(ctx, limitFinish, done, back, ids, attempts, outcomes).Scan(&ended); err != nil {
		return err
	}
	if ended != len(jobs) {
		return fmt.Errorf("%d of %d attempts were no longer ours", len(jobs)-ended, len(jobs))
	}
	if committed != nil {
		for _, j := range jobs {
			if j.err == nil {
				committed(j.number)
			}
		}
	}
	return nil
}

func (l *limitSide) left(ctx context.Context) (int, error) {
	return l.count(ctx, "select count(*) from limit_job")
}

func (l *limitSide) settings(ctx context.Context) (string, error) {
	d, err := l.durability(ctx)
	return fmt.Sprintf("%s; %d loops of %d jobs, poll %v", d, limitLoops, l.batch, limitPause), err
}
