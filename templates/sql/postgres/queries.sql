{{define "present"}}select (to_regclass('{{.Job}}') is not null)::int + (to_regclass('{{.Attempt}}') is not null)::int{{end}}

{{define "channel"}}{{.Job}}{{end}}

{{define "tables"}}select job_id, queue, idempotency_key, payload, payload_sha256, schema_hash, policy_hash, state, generation, attempt, failures, throttles, crashes,
  shared_crashes, interrupts, snoozes, created_at, first_attempt_at, next_run_at, run_alone, lease_token, lease_until, started_at, company, worker, last_class,
  last_error, fingerprint, dead_reason, dead_at{{if .Traces}}, traceparent{{end}}{{if .Brokers}}, message_id, delivery_count{{end}}{{if .Tenants}}, tenant_id, tier{{end}}{{range .Columns}}, {{.Name}}{{end}} from {{.Job}} limit 0;
select job_id, attempt, outcome, error_detail, attempted_at, queue, generation, class, decision, dead_reason, delay_ms, retry_after_ms, fingerprint,
  payload_sha256, started_at, lease_token, worker, policy_hash{{if .Brokers}}, message_id, delivery_count{{end}}{{if .Tenants}}, tenant_id{{end}}{{range .Columns}}, {{.Name}}{{end}} from {{.Attempt}} limit 0
{{- if .Purge}};
select '{{.Purge}}'::regclass{{end}}
{{- if .Redrive}};
select '{{.Redrive}}'::regclass, '{{.Redrive}}_item'::regclass{{end}}{{end}}

{{/* The jobs of a queue, in the order of the job_ids: two transactions that enqueue the same keys take them in one order. */}}
{{define "newJobs"}}insert into {{.Job}} (job_id, queue, idempotency_key, payload, payload_sha256, schema_hash, policy_hash{{if .Traces}}, traceparent{{end}}{{if .Tenants}}, tenant_id, tier{{end}}{{range .Columns}}, {{.Name}}{{end}}, created_at, next_run_at)
select i.job_id, $1::text, nullif(i.idempotency_key, ''), i.payload, decode(i.payload_sha256, 'hex'), $2::text, $3::text
  {{- if .Traces}}, nullif(i.traceparent, ''){{end}}{{if .Tenants}}, nullif(i.tenant_id, ''), nullif(i.tier, ''){{end}}{{range .Columns}}, {{.FromJSON}}{{end}}, {now}, {now}
from (
  select job_id, idempotency_key, payload, payload_sha256, tenant_id, tier, columns::jsonb as columns{{if .Traces}}, traceparent{{end}}
  from unnest($4::uuid[], $5::text[], $6::bytea[], $7::text[], $8::text[], $9::text[], $10::text[]{{if .Traces}}, $11::text[]{{end}}) as i(job_id, idempotency_key, payload, payload_sha256, tenant_id, tier, columns{{if .Traces}}, traceparent{{end}})
) i{{end}}

{{define "enqueue"}}{{template "newJobs" .}}
on conflict (job_id) do nothing
returning job_id{{end}}

{{/* Jobs that came with a message. */}}
{{define "admit"}}{{template "newJobs" .}}
on conflict (job_id) do nothing{{end}}

{{/* What the ledger has, and the table had not, is over: its message has come once more. This has to be a statement of its own, after
the other in one transaction: an end that commits while a row is added is not there yet for the statement that adds it. */}}
{{define "late"}}delete from {{.Job}} where job_id = any($1::uuid[]) and state = 'scheduled' and attempt = 0
  and job_id = any(array(select job_id from {{.Attempt}} where job_id = any($1::uuid[]))){{end}}

{{/* Of what a message carried, and nobody else has: $1 job_ids, $2 payloads, $3 SHA-256 of the payload as the message has it. */}}
{{define "fill"}}update {{.Job}} j set payload = i.payload
from unnest($1::uuid[], $2::bytea[], $3::text[]) as i(job_id, payload, sum)
where j.job_id = any($1::uuid[]) and j.job_id = i.job_id and j.payload_sha256 = decode(i.sum, 'hex') and octet_length(j.payload) = 0 and j.state <> 'done'{{end}}

{{define "existing"}}select job_id, state, encode(payload_sha256, 'hex') from {{.Job}}
where job_id = any($1::uuid[]){{end}}

{{define "jobColumns"}}job_id, queue, generation, attempt, lease_token, coalesce(idempotency_key, ''), {{if .Tenants}}coalesce(tenant_id, ''), coalesce(tier, ''){{else}}'', ''{{end}}, payload, schema_hash,
  (date_part('epoch', {now} - first_attempt_at) * 1000)::bigint, (date_part('epoch', {now} - created_at) * 1000)::bigint, company,
  failures, throttles, crashes, shared_crashes, interrupts, snoozes{{if .Traces}}, coalesce(traceparent, ''){{end}}{{end}}

{{define "beginning"}}state = 'running', attempt = attempt + 1, lease_token = $3::text, worker = $4::text, started_at = {now}, lease_until = {now} + $5::bigint * interval '1 ms', company = false,
  first_attempt_at = coalesce(first_attempt_at, {now}){{end}}

{{/* By the poll, and not by a message. */}}
{{define "unannounced"}}{{if .Brokers}}, message_id = null, delivery_count = null{{end}}{{end}}

{{/* A job whose payload is in a message is begun by that alone. */}}
{{define "whole"}}{{if .Brokers}} and octet_length(payload) > 0{{end}}{{end}}

{{define "claim"}}update {{.Job}} set {{template "beginning"}}{{template "unannounced" .}}
where job_id = any(array(
  select job_id from {{.Job}} where state = 'scheduled' and not run_alone and queue = $1::text and next_run_at <= {now}{{template "whole" .}} order by next_run_at, job_id limit $2::int for update skip locked))
returning {{template "jobColumns" .}}{{end}}

{{define "claimAlone"}}update {{.Job}} set {{template "beginning"}}{{template "unannounced" .}}
where job_id = any(array(
  select job_id from {{.Job}} where state = 'scheduled' and run_alone and queue = $1::text and next_run_at <= {now}{{template "whole" .}} order by next_run_at, job_id limit $2::int for update skip locked))
returning {{template "jobColumns" .}}{{end}}

{{/* $2 job_ids, $6 generations, $7 attempts, $8 message ids, $9 how often each has come, $10 SHA-256 of the payload that it carries, $11
whether to run alone. A message that carries its job is the same for every attempt. */}}
{{define "claimNamed"}}update {{.Job}} set {{template "beginning"}}, message_id = nullif(i.message, ''), delivery_count = nullif(i.delivered, 0)
from unnest($2::uuid[], $6::int[], $7::int[], $8::text[], $9::int[], $10::text[]) as i(id, of_generation, next_attempt, message, delivered, sum)
where job_id = any(array(
  select job_id from {{.Job}} where job_id = any($2::uuid[]) and queue = $1::text and state = 'scheduled' and run_alone = $11::boolean and next_run_at <= {now} order by job_id for update skip locked))
  and job_id = i.id and generation = i.of_generation
  and case when octet_length(payload) > 0 then attempt = i.next_attempt - 1 else payload_sha256 = decode(i.sum, 'hex') end
returning {{template "jobColumns" .}}{{end}}

{{/* A wait is rounded up: what is not due yet is not over, nor is a lease. */}}
{{define "named"}}select job_id, generation, attempt, state, run_alone, octet_length(payload) > 0, encode(payload_sha256, 'hex'),
  ceil(date_part('epoch', case when state = 'running' then lease_until else next_run_at end - {now}) * 1000)::bigint
from {{.Job}} where job_id = any($1::uuid[]){{end}}

{{/* In the order of the index: where most rows are due, the planner would else look for one in the table. */}}
{{define "due"}}select q.name,
  (select true from {{.Job}} where state = 'scheduled' and not run_alone and queue = q.name and next_run_at <= {now}{{template "whole" .}} order by next_run_at limit 1) is not null,
  (select true from {{.Job}} where state = 'scheduled' and run_alone and queue = q.name and next_run_at <= {now}{{template "whole" .}} order by next_run_at limit 1) is not null
from jsonb_array_elements_text($1::jsonb) as q(name){{end}}

{{/* Never by state: the statistics say that nothing runs, and the planner would read all that does. */}}
{{define "fence"}}j.job_id = any(array(select job_id from i)) and j.job_id = i.job_id and j.attempt = i.attempt and j.lease_token = i.token and (i.reaped is not true or j.lease_until < {now}){{end}}

{{define "ended"}}j.job_id, j.attempt, i.outcome, i.error_detail, {now}, j.queue{{if .Tenants}}, j.tenant_id{{end}}{{range .Columns}}, j.{{.Name}}{{end}}, j.generation, i.class,
    i.decision, i.dead_reason, case when i.decision = 'retry' then coalesce(i.delay_ms, 0) end, i.retry_after_ms, i.fingerprint, j.payload_sha256, j.started_at, i.token, j.worker, i.policy_hash{{if .Brokers}}, j.message_id, j.delivery_count{{end}}{{end}}

{{/* Most attempts succeed, and successes differ in nothing but their fence: $1 job_ids, $2 attempts, $3 token, $4 policy_hash. */}}
{{define "fences"}}unnest($1::uuid[], $2::int[]) as i(job_id, attempt)
  where j.job_id = any($1::uuid[]) and j.job_id = i.job_id and j.attempt = i.attempt and j.lease_token = $3::text
  returning j.job_id, j.attempt, j.queue{{if .Tenants}}, j.tenant_id{{end}}{{range .Columns}}, j.{{.Name}}{{end}}, j.generation, j.payload_sha256, j.started_at, j.worker{{if .Brokers}}, j.message_id, j.delivery_count{{end}}{{end}}

{{define "recordOK"}}insert into {{.Attempt}} (job_id, attempt, queue{{if .Tenants}}, tenant_id{{end}}{{range .Columns}}, {{.Name}}{{end}}, generation, payload_sha256, started_at, worker{{if .Brokers}}, message_id, delivery_count{{end}},
  outcome, attempted_at, decision, lease_token, policy_hash)
select ended.*, 'ok', {now}, 'done', $3::text, $4::text from ended
returning job_id{{end}}

{{define "finishGone"}}with ended as (
  delete from {{.Job}} j using {{template "fences" .}}
)
{{template "recordOK" .}}{{end}}

{{define "finishDone"}}with ended as (
  update {{.Job}} j set state = 'done', lease_token = null, lease_until = null, company = false, run_alone = false,
    last_class = null, last_error = null, fingerprint = null, payload = ''::bytea
  from {{template "fences" .}}
)
{{template "recordOK" .}}{{end}}

{{/* All other ends. The ledger's rows come from what the fence let through; what it returns has been taken. */}}
{{define "finish"}}with i as (
  select * from jsonb_to_recordset($1::jsonb) as i(job_id uuid, attempt int, token text, reaped boolean, put_back boolean, outcome text, class text, budget text, error_detail text,
    fingerprint text, retry_after_ms bigint, policy_hash text, decision text, next text, delay_ms bigint, dead_reason text, run_alone boolean)
), back as (
  update {{.Job}} j set state = 'scheduled', attempt = j.attempt - 1, lease_token = null, lease_until = null, company = false,
    first_attempt_at = case when j.attempt > 1 then j.first_attempt_at end, next_run_at = {now} + coalesce(i.delay_ms, 0) * interval '1 ms'
  from i where {{template "fence"}} and i.put_back
  returning j.job_id
), moved as (
  update {{.Job}} j set state = i.next, lease_token = null, lease_until = null, company = false,
    run_alone = case when i.budget = 'interrupts' then j.run_alone else coalesce(i.run_alone, false) end,
    next_run_at = case when i.next = 'scheduled' then {now} + coalesce(i.delay_ms, 0) * interval '1 ms' else j.next_run_at end,
    failures = j.failures + case when i.budget = 'failures' then 1 else 0 end, throttles = j.throttles + case when i.budget = 'throttles' then 1 else 0 end,
    crashes = j.crashes + case when i.budget = 'crashes' then 1 else 0 end, shared_crashes = j.shared_crashes + case when i.budget = 'shared_crashes' then 1 else 0 end,
    interrupts = j.interrupts + case when i.budget = 'interrupts' then 1 else 0 end, snoozes = j.snoozes + case when i.budget = 'snoozes' then 1 else 0 end,
    last_class = i.class, last_error = i.error_detail, fingerprint = i.fingerprint, dead_reason = i.dead_reason, dead_at = case when i.next = 'dead' then {now} end
  from i where {{template "fence"}} and i.put_back is not true
  returning {{template "ended" .}}
), recorded as (
  insert into {{.Attempt}} (job_id, attempt, outcome, error_detail, attempted_at, queue{{if .Tenants}}, tenant_id{{end}}{{range .Columns}}, {{.Name}}{{end}}, generation, class,
    decision, dead_reason, delay_ms, retry_after_ms, fingerprint, payload_sha256, started_at, lease_token, worker, policy_hash{{if .Brokers}}, message_id, delivery_count{{end}})
  select * from moved
  returning job_id
)
select job_id from recorded union all select job_id from back{{end}}

{{define "recorded"}}with i as (
  select * from jsonb_to_recordset($1::jsonb) as i(job_id uuid, attempt int, outcome text, class text)
)
select a.job_id from i join {{.Attempt}} a on a.job_id = i.job_id and a.attempt = i.attempt
where a.job_id = any(array(select job_id from i)) and a.lease_token = $2::text and a.outcome = i.outcome and a.class is not distinct from i.class{{end}}

{{/* A row that another statement has locked for a moment is not renewed, and is ours all the same. */}}
{{define "renew"}}with asked as (
  select array(select jsonb_array_elements_text($1::jsonb)::uuid) as ids
), renewed as (
  update {{.Job}} set lease_until = {now} + $3::bigint * interval '1 ms'
  where job_id = any(array(select job_id from {{.Job}} where job_id = any((select ids from asked)::uuid[]) and lease_token = $2::text for update skip locked))
  returning job_id, attempt
)
select job_id, attempt, true from renewed
union all
select job_id, attempt, false from {{.Job}}
where job_id = any((select ids from asked)::uuid[]) and lease_token = $2::text and job_id <> all(array(select job_id from renewed)){{end}}

{{define "held"}}select {{template "jobColumns" .}}
from {{.Job}} where state = 'running' and lease_token = $1::text{{end}}

{{define "over"}}state = 'running' and queue = any(array(select jsonb_array_elements_text($1::jsonb))) and lease_until < {now}{{end}}

{{/* Which processes had several jobs is read without locks. A sibling that is locked just now is left unmarked: its own
process is ending or renewing it, and so is alive, or another reaper has marked it. */}}
{{define "company"}}update {{.Job}} set company = true where job_id = any(array(
  select job_id from {{.Job}} where state = 'running' and not company and lease_token = any(array(
    select lease_token from {{.Job}} where state = 'running' and lease_token = any(array(select lease_token from {{.Job}} where {{template "over"}}))
    group by lease_token having count(*) > 1))
  for update skip locked)){{end}}

{{define "expired"}}select {{template "jobColumns" .}}
from {{.Job}} where {{template "over"}} order by lease_until limit 100 for update skip locked{{end}}

{{define "stats"}}select queue, sum(due), max(waiting), sum(later), sum(running), sum(overdue) from (
  select queue, (next_run_at <= {now})::int as due, greatest(0, (extract(epoch from {now} - next_run_at) * 1000)::bigint) as waiting,
    (next_run_at > {now})::int as later, 0 as running, 0 as overdue from {{.Job}} where state = 'scheduled' and not run_alone
  union all
  select queue, (next_run_at <= {now})::int, greatest(0, (extract(epoch from {now} - next_run_at) * 1000)::bigint), (next_run_at > {now})::int, 0, 0
  from {{.Job}} where state = 'scheduled' and run_alone
  union all
  select queue, 0, 0, 0, 1, (lease_until < {now})::int from {{.Job}} where state = 'running'
  union all
  select queue, 0, 0, 0, 0, 0 from {{.Job}} where state = 'dead') all_jobs
group by queue order by queue{{end}}

{{define "dead"}}select queue, last_class, dead_reason, count(*) from {{.Job}} where state = 'dead' group by queue, last_class, dead_reason order by queue, last_class, dead_reason{{end}}

{{/* By queue: how long ago a job died of an error of which no other had died that is still dead. */}}
{{define "fingerprints"}}select queue, greatest(0, (extract(epoch from {now} - max(first_at)) * 1000)::bigint) from (
  select queue, min(dead_at) as first_at from {{.Job}} where state = 'dead' group by queue, fingerprint) errors
group by queue{{end}}

{{define "ledger"}}select attempt, outcome, coalesce(class, ''), decision, coalesce(dead_reason, ''), coalesce(error_detail, ''), coalesce(delay_ms, 0), coalesce(fingerprint, '')
from {{.Attempt}} where job_id = $1::text::uuid order by attempt{{end}}

{{define "nextRun"}}select greatest(0, (extract(epoch from next_run_at - {now}) * 1000)::bigint) from {{.Job}} where job_id = $1::text::uuid and state = 'scheduled'{{end}}
