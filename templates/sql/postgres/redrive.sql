{{/* Which dead jobs: $1 queue, $2 class, $3 reason, $4 fingerprint, $5 at least so many milliseconds dead, $6 at most, $7 job_ids, $8 tenant; null
is any. They are planned anew each time, so that what is null costs nothing. */}}
{{define "asked"}}j.state = 'dead'
  and ($1::text is null or j.queue = $1::text) and ($2::text is null or j.last_class = $2::text) and ($3::text is null or j.dead_reason = $3::text)
  and ($4::text is null or j.fingerprint = $4::text)
  and ($5::bigint is null or j.dead_at <= {now} - $5::bigint * interval '1 ms') and ($6::bigint is null or j.dead_at > {now} - $6::bigint * interval '1 ms')
  and ($7::uuid[] is null or j.job_id = any($7::uuid[])) and ($8::text is null{{if .Tenants}} or j.tenant_id = $8::text{{end}}){{end}}

{{define "deadColumns"}}j.job_id, j.queue, coalesce(j.idempotency_key, ''), {{if .Tenants}}coalesce(j.tenant_id, ''){{else}}''{{end}}, j.generation, j.attempt, coalesce(j.last_class, ''), coalesce(j.last_error, ''),
  coalesce(j.fingerprint, ''), coalesce(j.dead_reason, ''), j.created_at, j.dead_at{{end}}

{{/* The latest first; $9 and $10: behind this one, $11 at most. */}}
{{define "deadPage"}}select {{template "deadColumns" .}} from {{.Job}} j
where {{template "asked" .}} and ($9::timestamptz is null or (j.dead_at, j.job_id) < ($9::timestamptz, $10::uuid))
order by j.dead_at desc, j.job_id desc limit $11::int{{end}}

{{define "deadGroups"}}select j.queue, coalesce(j.last_class, ''), j.dead_reason, coalesce(j.fingerprint, ''), count(*), min(j.dead_at), max(j.dead_at),
  coalesce(max(left(j.last_error, 200) collate "C"), '')
from {{.Job}} j where {{template "asked" .}}
group by j.queue, j.last_class, j.dead_reason, j.fingerprint order by count(*) desc, j.queue, j.last_class, j.dead_reason, j.fingerprint{{end}}

{{define "jobRow"}}select {{template "deadColumns" .}}, j.state, j.next_run_at, j.payload, encode(j.payload_sha256, 'hex') from {{.Job}} j where j.job_id = $1::uuid{{end}}

{{define "jobAttempts"}}select a.queue, a.attempt, a.generation, a.outcome, coalesce(a.class, ''), a.decision, coalesce(a.dead_reason, ''), coalesce(a.error_detail, ''), coalesce(a.fingerprint, ''),
  coalesce(a.delay_ms, 0), a.started_at, a.attempted_at, a.worker, a.policy_hash, encode(a.payload_sha256, 'hex')
from {{.Attempt}} a where a.job_id = $1::uuid order by a.attempt{{end}}

{{define "jobItems"}}select {{template "itemColumns"}}, r.kind, r.state, r.decisions
from {{.Redrive}}_item i join {{.Redrive}} r on r.redrive_id = i.redrive_id where i.job_id = $1::uuid and i.result is not null order by r.created_at, r.redrive_id{{end}}

{{/* A plan: $9 redrive_id, $10 kind, $11 selector, $12 the age in milliseconds at which a key is near its end, $13 the generation that is the
last. It freezes the jobs, and answers how many there are, their hash, and what to warn of, once for each group; a plan without jobs has one that is empty. */}}
{{define "planned"}}with picked as materialized (
  select j.job_id, j.generation, j.queue, j.fingerprint, j.dead_reason, j.dead_at, row_number() over (order by j.dead_at, j.job_id) as seq,
    j.idempotency_key is not null and j.created_at < {now} - $12::bigint * interval '1 ms' as old, j.generation >= $13::int as spent
  from {{.Job}} j where {{template "asked" .}}
), items as (
  insert into {{.Redrive}}_item (redrive_id, seq, job_id, from_generation, queue, fingerprint, dead_reason, dead_at)
  select $9::uuid, seq, job_id, generation, queue, fingerprint, dead_reason, dead_at from picked
), summary as (
  select count(*) as jobs, encode(sha256(convert_to(coalesce(string_agg(job_id::text || ' ' || generation, e'\n' order by job_id), ''), 'UTF8')), 'hex') as hash,
    count(*) filter (where old) as old, count(*) filter (where spent) as spent from picked
), groups as (
  select queue, dead_reason, fingerprint, count(*) as n, min(dead_at) as first, max(dead_at) as last from picked group by queue, dead_reason, fingerprint
), made as (
  insert into {{.Redrive}} (redrive_id, kind, created_at, planned_by, selector, plan_hash, jobs)
  select $9::uuid, $10::text, {now}, current_user, $11::jsonb, hash, jobs from summary
)
select s.jobs, s.hash, s.old, s.spent, coalesce(g.queue, ''), coalesce(g.dead_reason, ''), coalesce(g.fingerprint, ''), coalesce(g.n, 0), coalesce(g.first, {now}), coalesce(g.last, {now})
from summary s left join groups g on true order by g.n desc, g.queue, g.dead_reason, g.fingerprint{{end}}

{{define "planGroups"}}select queue, dead_reason, coalesce(fingerprint, ''), count(*), min(dead_at), max(dead_at) from {{.Redrive}}_item where redrive_id = $1::uuid
group by queue, dead_reason, fingerprint order by count(*) desc, queue, dead_reason, fingerprint{{end}}

{{/* Of each queue, how long the oldest of its due jobs has waited, and whether any runs. */}}
{{define "queueAges"}}select q.name,
  coalesce((select extract(epoch from {now} - next_run_at) * 1000 from {{.Job}} where state = 'scheduled' and not run_alone and queue = q.name and next_run_at <= {now}
    order by next_run_at limit 1), 0)::bigint,
  (select true from {{.Job}} where state = 'running' and queue = q.name limit 1) is not null
from unnest($1::text[]) as q(name){{end}}

{{define "redriveColumns"}}r.redrive_id, r.kind, r.state, r.created_at, r.planned_by, r.selector, r.plan_hash, r.jobs, coalesce(r.operator, ''), coalesce(r.reason, ''), r.decisions,
  coalesce(r.canary, 0), coalesce(r.batch, 0), coalesce(r.every_ms, 0), coalesce(r.stopped_why, ''), r.started_at, r.ended_at,
  r.handled, r.sent, r.judged, r.failed, r.same_error, r.from_seq, r.from_sent, r.state = 'applying' and r.lease_until >= {now}{{end}}

{{define "redriveRow"}}select {{template "redriveColumns"}} from {{.Redrive}} r where r.redrive_id = $1::uuid{{end}}

{{define "redrivePage"}}select {{template "redriveColumns"}} from {{.Redrive}} r where ($1::timestamptz is null or (r.created_at, r.redrive_id) < ($1::timestamptz, $2::uuid))
order by r.created_at desc, r.redrive_id desc limit $3::int{{end}}

{{define "itemColumns"}}i.redrive_id, i.seq, i.job_id, i.from_generation, i.queue, coalesce(i.fingerprint, ''), i.dead_reason, i.dead_at, coalesce(i.result, ''), coalesce(i.detail, ''), i.at, i.undone_at,
  coalesce(i.first_attempt, ''), coalesce(encode(i.payload_sha256_before, 'hex'), ''), coalesce(encode(i.payload_sha256_after, 'hex'), ''){{end}}

{{define "itemPage"}}select {{template "itemColumns"}} from {{.Redrive}}_item i where i.redrive_id = $1::uuid and i.seq > $2::int and ($4::text is null or i.result = $4::text) order by i.seq limit $3::int{{end}}

{{define "decided"}}decisions || jsonb_build_array(jsonb_build_object({{/* what, operator and reason follow */}}'at', {now}, {{end}}

{{/* $1 redrive_id, $2 hash, $3 token, $4 operator, $5 reason, $6 lease, $7 canary, $8 batch, $9 every. Begun anew by a person, what was judged before does
not count; after a process that died, it does. */}}
{{define "take"}}update {{.Redrive}} r set state = 'applying', operator = $4::text, reason = $5::text, lease_token = $3::text, lease_until = {now} + $6::bigint * interval '1 ms',
  canary = $7::int, batch = $8::int, every_ms = $9::bigint, stopped_why = null, started_at = coalesce(started_at, {now}),
  from_seq = case when state = 'applying' then from_seq else handled end, from_sent = case when state = 'applying' then from_sent else sent end,
  judged = case when state = 'applying' then judged else 0 end, failed = case when state = 'applying' then failed else 0 end,
  same_error = case when state = 'applying' then same_error else 0 end, ended_at = null,
  decisions = {{template "decided"}}'what', case when state = 'planned' then 'apply' else 'resume' end, 'operator', $4::text, 'reason', $5::text))
where r.redrive_id = $1::uuid and r.plan_hash = $2::text and (r.state in ('planned', 'stopped') or r.state = 'applying' and r.lease_until < {now})
returning {{template "redriveColumns"}}{{end}}

{{/* It goes on: $1 redrive_id, $2 token, $3 lease. Nothing comes back where it was stopped, or is another's. */}}
{{define "hold"}}update {{.Redrive}} r set lease_until = {now} + $3::bigint * interval '1 ms' where r.redrive_id = $1::uuid and r.lease_token = $2::text and r.state = 'applying'
returning {{template "redriveColumns"}}{{end}}

{{/* Whoever comes next need not wait. */}}
{{define "letGo"}}update {{.Redrive}} set lease_until = {now} - interval '1 ms' where redrive_id = $1::uuid and lease_token = $2::text and state = 'applying'{{end}}

{{define "nextItems"}}select seq, job_id, from_generation from {{.Redrive}}_item where redrive_id = $1::uuid and seq > $2::int order by seq limit $3::int{{end}}

{{/* In the order of the job_ids, in which every transaction takes the rows. */}}
{{define "lockJobs"}}select job_id from {{.Job}} where job_id = any($1::uuid[]) order by job_id for update{{end}}

{{define "was"}}jsonb_build_object('failures', j.failures, 'throttles', j.throttles, 'crashes', j.crashes, 'shared_crashes', j.shared_crashes, 'interrupts', j.interrupts, 'snoozes', j.snoozes,
    'first_attempt_at', j.first_attempt_at, 'next_run_at', j.next_run_at, 'run_alone', j.run_alone){{end}}

{{define "fresh"}}state = 'scheduled', generation = j.generation + 1, failures = 0, throttles = 0, crashes = 0, shared_crashes = 0, interrupts = 0, snoozes = 0, first_attempt_at = null,
    run_alone = j.dead_reason = 'crashes', dead_reason = null, dead_at = null{{end}}

{{/* $1 redrive_id, $2 seqs, $3 job_ids, $4 generations, $5 delays, $6 the generation that is the last. The rows are locked, so that what was is what is. */}}
{{define "send"}}with i as (
  select * from unnest($2::int[], $3::uuid[], $4::int[], $5::bigint[]) as i(seq, job_id, from_generation, delay_ms)
), was as materialized (
  select j.job_id, {{template "was"}} as was from {{.Job}} j where j.job_id = any($3::uuid[])
), sent as (
  update {{.Job}} j set {{template "fresh"}}, next_run_at = {now} + i.delay_ms * interval '1 ms'
  from i where j.job_id = any($3::uuid[]) and j.job_id = i.job_id and j.state = 'dead' and j.generation = i.from_generation and j.generation < $6::int
  returning j.job_id, j.queue, j.generation, j.attempt, i.seq, i.delay_ms
)
update {{.Redrive}}_item t set result = 'sent', at = {now}, after_attempt = s.attempt, was = w.was
from sent s join was w on w.job_id = s.job_id where t.redrive_id = $1::uuid and t.seq = any($2::int[]) and t.seq = s.seq
returning s.job_id, s.queue, s.generation, s.attempt, s.delay_ms{{end}}

{{/* $1 redrive_id, $2 seqs, $3 job_ids, $4 generations. */}}
{{define "discard"}}with i as (
  select * from unnest($2::int[], $3::uuid[], $4::int[]) as i(seq, job_id, from_generation)
), was as materialized (
  select j.job_id, {{template "was"}} as was from {{.Job}} j where j.job_id = any($3::uuid[])
), closed as (
  update {{.Job}} j set state = 'cancelled', dead_reason = null, dead_at = null
  from i where j.job_id = any($3::uuid[]) and j.job_id = i.job_id and j.state = 'dead' and j.generation = i.from_generation
  returning j.job_id, j.attempt, i.seq
)
update {{.Redrive}}_item t set result = 'discarded', at = {now}, after_attempt = c.attempt, was = w.was
from closed c join was w on w.job_id = c.job_id where t.redrive_id = $1::uuid and t.seq = any($2::int[]) and t.seq = c.seq
returning t.job_id{{end}}

{{/* Of $2 seqs those that were not sent, and why. */}}
{{define "passOver"}}update {{.Redrive}}_item t set at = {now}, result = case when j.state = 'dead' and j.generation = t.from_generation then 'generations' else 'changed' end,
  detail = case
    when j.state = 'dead' and j.generation = t.from_generation then 'it has run through its budgets ' || j.generation || ' times, the most that there is'
    when o.operator is not null then o.operator || ' has ' || case when o.result = 'discarded' then 'discarded' else 'sent' end || ' it in ' || o.redrive_id || ' at ' || to_char(o.at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"')
    when j.job_id is null then 'it has ended since'
    else 'it is ' || j.state || ' in its generation ' || j.generation
  end
from {{.Redrive}}_item x
left join {{.Job}} j on j.job_id = x.job_id
left join lateral (
  select d.redrive_id, r.operator, d.result, d.at from {{.Redrive}}_item d join {{.Redrive}} r on r.redrive_id = d.redrive_id
  where d.job_id = x.job_id and d.from_generation = x.from_generation and d.redrive_id <> x.redrive_id and d.result in ('sent', 'discarded') order by d.at desc limit 1
) o on true
where t.redrive_id = $1::uuid and t.seq = any($2::int[]) and x.redrive_id = $1::uuid and x.seq = any($2::int[]) and x.seq = t.seq and t.result is null{{end}}

{{/* $1 redrive_id, $2 up to this seq, $3 so many were sent. */}}
{{define "handled"}}update {{.Redrive}} set handled = $2::int, sent = sent + $3::int where redrive_id = $1::uuid{{end}}

{{/* How the first attempts ended: $1 redrive_id, $2 behind this seq, $3 at most so many. What a deploy interrupted, or the handler put off, has not been tried. */}}
{{define "judge"}}with open as (
  select seq, job_id, from_generation, fingerprint from {{.Redrive}}_item where redrive_id = $1::uuid and seq > $2::int and result = 'sent' and first_attempt is null order by seq limit $3::int
), ended as (
  select o.seq, a.how from open o cross join lateral (
    select case when a.outcome = 'ok' then 'ok' when a.fingerprint is not distinct from o.fingerprint then 'same_error' else 'failed' end as how
    from {{.Attempt}} a where a.job_id = o.job_id and a.generation = o.from_generation + 1 and a.class is distinct from 'interrupted' and a.class is distinct from 'snoozed'
    order by a.attempt limit 1) a
), judged as (
  update {{.Redrive}}_item t set first_attempt = e.how from ended e where t.redrive_id = $1::uuid and t.seq = e.seq returning e.how
), counted as (
  select count(*) as n, count(*) filter (where how <> 'ok') as failed, count(*) filter (where how = 'same_error') as same from judged
)
update {{.Redrive}} r set judged = r.judged + c.n, failed = r.failed + c.failed, same_error = r.same_error + c.same from counted c where r.redrive_id = $1::uuid and c.n > 0{{end}}

{{/* $1 redrive_id, $2 token, $3 state, $4 why. */}}
{{define "endRedrive"}}update {{.Redrive}} set state = $3::text, stopped_why = nullif($4::text, ''), lease_token = null, lease_until = null, ended_at = {now}
where redrive_id = $1::uuid and lease_token = $2::text and state = 'applying'{{end}}

{{/* By hand: $1 redrive_id, $2 operator, $3 reason, $4 why. */}}
{{define "stopRedrive"}}update {{.Redrive}} set state = 'stopped', stopped_why = $4::text, lease_token = null, lease_until = null, ended_at = {now},
  decisions = {{template "decided"}}'what', 'stop', 'operator', $2::text, 'reason', $3::text))
where redrive_id = $1::uuid and state = 'applying'{{end}}

{{/* $1 redrive_id, $2 operator, $3 reason. Nobody applies it from then on. */}}
{{define "beginUndo"}}update {{.Redrive}} set state = 'undone', lease_token = null, lease_until = null, ended_at = {now},
  decisions = {{template "decided"}}'what', 'undo', 'operator', $2::text, 'reason', $3::text))
where redrive_id = $1::uuid and (state in ('stopped', 'done', 'undone') or state = 'applying' and lease_until < {now}){{end}}

{{define "undoable"}}select seq, job_id, from_generation from {{.Redrive}}_item where redrive_id = $1::uuid and seq > $2::int and result in ('sent', 'discarded') order by seq limit $3::int{{end}}

{{/* $1 redrive_id, $2 seqs, $3 job_ids, whose rows are locked. What has begun goes on. */}}
{{define "undo"}}with back as (
  update {{.Job}} j set state = 'dead', generation = i.from_generation, dead_reason = i.dead_reason, dead_at = i.dead_at,
    failures = o.failures, throttles = o.throttles, crashes = o.crashes, shared_crashes = o.shared_crashes, interrupts = o.interrupts, snoozes = o.snoozes,
    first_attempt_at = o.first_attempt_at, next_run_at = o.next_run_at, run_alone = o.run_alone
    {{- range list "payload" "payload_sha256" "schema_hash"}}, {{.}} = case when i.was ? 'payload' then o.{{.}} else j.{{.}} end{{end}}
    {{- if .Tenants}}{{range list "tenant_id" "tier"}}, {{.}} = case when i.was ? 'payload' then o.{{.}} else j.{{.}} end{{end}}{{end}}
    {{- range .Columns}}, {{.Name}} = case when i.was ? 'payload' then o.{{.Name}} else j.{{.Name}} end{{end}}
  from {{.Redrive}}_item i, jsonb_populate_record(null::{{.Job}}, i.was) o
  where j.job_id = any($3::uuid[]) and i.redrive_id = $1::uuid and i.seq = any($2::int[]) and j.job_id = i.job_id
    and (i.result = 'sent' and j.state = 'scheduled' and j.generation = i.from_generation + 1 and j.attempt = i.after_attempt
      or i.result = 'discarded' and j.state = 'cancelled' and j.generation = i.from_generation)
  returning i.seq
)
update {{.Redrive}}_item t set result = 'undone', undone_at = {now} from back b where t.redrive_id = $1::uuid and t.seq = any($2::int[]) and t.seq = b.seq
returning t.job_id{{end}}

{{/* One dead job, with what an amended payload has to fit: $1 job_id. */}}
{{define "amendable"}}select j.queue, j.state, j.generation, j.attempt, coalesce(j.idempotency_key, ''), j.payload from {{.Job}} j where j.job_id = $1::uuid for update{{end}}

{{/* $1 redrive_id, $2 job_id, $3 payload, $4 its hash, $5 schema, $6 tenant, $7 tier, $8 columns, $9 hash of the plan, $10 operator, $11 reason. The row is locked. */}}
{{define "amend"}}with was as materialized (
  select j.job_id, j.generation, j.attempt, j.queue, j.fingerprint, j.dead_reason, j.dead_at, j.payload_sha256,
    {{template "was"}} || jsonb_build_object('payload', j.payload, 'payload_sha256', j.payload_sha256, 'schema_hash', j.schema_hash
    {{- if .Tenants}}, 'tenant_id', j.tenant_id, 'tier', j.tier{{end}}{{range .Columns}}, {{literal .Name}}, j.{{.Name}}{{end}}) as was
  from {{.Job}} j where j.job_id = $2::uuid
), made as (
  insert into {{.Redrive}} (redrive_id, kind, state, created_at, planned_by, selector, plan_hash, jobs, operator, reason, decisions, started_at, ended_at, handled, sent)
  select $1::uuid, 'amend', 'done', {now}, current_user, jsonb_build_object('job_ids', jsonb_build_array(w.job_id)), $9::text, 1, $10::text, $11::text,
    jsonb_build_array(jsonb_build_object('at', {now}, 'what', 'amend', 'operator', $10::text, 'reason', $11::text)), {now}, {now}, 1, 1 from was w
), item as (
  insert into {{.Redrive}}_item (redrive_id, seq, job_id, from_generation, queue, fingerprint, dead_reason, dead_at, result, at, after_attempt, was, payload_sha256_before, payload_sha256_after)
  select $1::uuid, 1, w.job_id, w.generation, w.queue, w.fingerprint, w.dead_reason, w.dead_at, 'sent', {now}, w.attempt, w.was, w.payload_sha256, decode($4::text, 'hex') from was w
)
update {{.Job}} j set {{template "fresh"}}, next_run_at = {now}, payload = $3::bytea, payload_sha256 = decode($4::text, 'hex'), schema_hash = $5::text
  {{- if .Tenants}}, tenant_id = nullif($6::text, ''), tier = nullif($7::text, ''){{end}}{{range .Columns}}, {{.Name}} = {{.FromJSON}}{{end}}
from (select $6::text as tenant, $7::text as tier, $8::jsonb as columns) i where j.job_id = $2::uuid{{end}}
