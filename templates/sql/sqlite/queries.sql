{{define "present"}}select count(*) from sqlite_master where type = 'table' and name in ('{{.Job}}', '{{.Attempt}}'){{end}}

{{define "tables"}}select job_id, queue, idempotency_key, payload, payload_sha256, schema_hash, policy_hash, state, generation, attempt, failures, throttles, crashes,
  shared_crashes, interrupts, snoozes, created_at, first_attempt_at, next_run_at, run_alone, lease_token, lease_until, started_at, company, worker, last_class,
  last_error, fingerprint, dead_reason, dead_at{{if .Traces}}, traceparent{{end}}{{if .Tenants}}, tenant_id, tier{{end}}{{range .Columns}}, {{.Name}}{{end}} from {{.Job}} limit 0;
select job_id, attempt, outcome, error_detail, attempted_at, queue, generation, class, decision, dead_reason, delay_ms, retry_after_ms, fingerprint,
  payload_sha256, started_at, lease_token, worker, policy_hash{{if .Tenants}}, tenant_id{{end}}{{range .Columns}}, {{.Name}}{{end}} from {{.Attempt}} limit 0
{{- if .Purge}};
select purge_id, purged_at, purged_by, attempts_before, keys_before, jobs, attempts from {{.Purge}} limit 0{{end}}{{end}}

{{define "enqueue"}}insert into {{.Job}} (job_id, queue, idempotency_key, payload, payload_sha256, schema_hash, policy_hash{{if .Traces}}, traceparent{{end}}{{if .Tenants}}, tenant_id, tier{{end}}{{range .Columns}}, {{.Name}}{{end}}, created_at, next_run_at)
select value->>'job_id', value->>'queue', value->>'idempotency_key', cast(value->>'payload' as blob), unhex(value->>'payload_sha256'), value->>'schema_hash', value->>'policy_hash'
  {{- if .Traces}}, value->>'traceparent'{{end}}{{if .Tenants}}, value->>'tenant_id', value->>'tier'{{end}}{{range .Columns}}, {{.FromJSON}}{{end}}, {now}, {now}
from json_each(?1) where true
on conflict (job_id) do nothing
returning job_id, state, lower(hex(payload_sha256)){{end}}

{{define "existing"}}select job_id, state, lower(hex(payload_sha256)) from {{.Job}}
where job_id in (select value->>'job_id' from json_each(?1)){{end}}

{{define "jobColumns"}}job_id, queue, generation, attempt, lease_token, coalesce(idempotency_key, ''), {{if .Tenants}}coalesce(tenant_id, ''), coalesce(tier, ''){{else}}'', ''{{end}}, payload, schema_hash,
  {now} - first_attempt_at, {now} - created_at, company, failures, throttles, crashes, shared_crashes, interrupts, snoozes{{if .Traces}}, coalesce(traceparent, ''){{end}}{{end}}

{{define "beginning"}}state = 'running', attempt = attempt + 1, lease_token = ?3, worker = ?4, started_at = {now}, lease_until = {now} + ?5, company = 0,
  first_attempt_at = coalesce(first_attempt_at, {now}){{end}}

{{define "claim"}}update {{.Job}} set {{template "beginning"}}
where rowid in (select rowid from {{.Job}} where state = 'scheduled' and run_alone = 0 and queue = ?1 and next_run_at <= {now} order by next_run_at, job_id limit cast(?2 as integer))
returning {{template "jobColumns" .}}{{end}}

{{define "claimAlone"}}update {{.Job}} set {{template "beginning"}}
where rowid in (select rowid from {{.Job}} where state = 'scheduled' and run_alone = 1 and queue = ?1 and next_run_at <= {now} order by next_run_at, job_id limit cast(?2 as integer))
returning {{template "jobColumns" .}}{{end}}

{{define "due"}}select value,
  exists (select 1 from {{.Job}} where state = 'scheduled' and run_alone = 0 and queue = value and next_run_at <= {now}),
  exists (select 1 from {{.Job}} where state = 'scheduled' and run_alone = 1 and queue = value and next_run_at <= {now})
from json_each(?1){{end}}

{{/* A cast hides a parameter from the planner, which would else compile the statement anew for each value. */}}
{{define "fence"}}job_id = cast(?1 as text) and attempt = ?2 and lease_token = ?3{{end}}

{{define "finishLedger"}}insert into {{.Attempt}} (job_id, attempt, outcome, error_detail, attempted_at, queue{{if .Tenants}}, tenant_id{{end}}{{range .Columns}}, {{.Name}}{{end}}, generation, class,
  decision, dead_reason, delay_ms, retry_after_ms, fingerprint, payload_sha256, started_at, lease_token, worker, policy_hash)
select job_id, attempt, ?5, ?6, {now}, queue{{if .Tenants}}, tenant_id{{end}}{{range .Columns}}, {{.Name}}{{end}}, generation, ?7,
  ?8, ?9, ?10, ?11, ?12, payload_sha256, started_at, lease_token, worker, ?13
from {{.Job}} where {{template "fence"}} and (not ?4 or lease_until < {now}){{end}}

{{/* Successes differ in nothing but their fence: ?1 is an object of all their attempts by job_id. */}}
{{define "fences"}}json_each(?1) r cross join {{.Job}} where job_id = r.key and attempt = r.value and lease_token = ?2{{end}}

{{define "finishOK"}}insert into {{.Attempt}} (job_id, attempt, outcome, attempted_at, queue{{if .Tenants}}, tenant_id{{end}}{{range .Columns}}, {{.Name}}{{end}}, generation,
  decision, payload_sha256, started_at, lease_token, worker, policy_hash)
select job_id, attempt, 'ok', {now}, queue{{if .Tenants}}, tenant_id{{end}}{{range .Columns}}, {{.Name}}{{end}}, generation,
  'done', payload_sha256, started_at, lease_token, worker, ?3
from {{template "fences" .}}
returning job_id{{end}}

{{define "finishDelete"}}delete from {{.Job}} where rowid in (select {{.Job}}.rowid from {{template "fences" .}}){{end}}

{{define "finishDone"}}update {{.Job}} set state = 'done', lease_token = null, lease_until = null, company = 0, run_alone = 0,
  last_class = null, last_error = null, fingerprint = null, payload = x''
where rowid in (select {{.Job}}.rowid from {{template "fences" .}}){{end}}

{{define "finishJob"}}update {{.Job}} set state = ?4, lease_token = null, lease_until = null, company = 0, run_alone = case when ?7 = 'interrupts' then run_alone else ?5 end,
  next_run_at = case when ?4 = 'scheduled' then {now} + ?6 else next_run_at end,
  failures = failures + (?7 = 'failures'), throttles = throttles + (?7 = 'throttles'), crashes = crashes + (?7 = 'crashes'),
  shared_crashes = shared_crashes + (?7 = 'shared_crashes'), interrupts = interrupts + (?7 = 'interrupts'), snoozes = snoozes + (?7 = 'snoozes'),
  last_class = ?8, last_error = ?9, fingerprint = ?10, dead_reason = ?11, dead_at = case when ?4 = 'dead' then {now} end
where {{template "fence"}}{{end}}

{{define "finishBack"}}update {{.Job}} set state = 'scheduled', attempt = attempt - 1, lease_token = null, lease_until = null, company = 0,
  first_attempt_at = case when attempt > 1 then first_attempt_at end, next_run_at = {now} + ?4
where {{template "fence"}}{{end}}

{{define "recorded"}}select a.job_id from json_each(?1) r cross join {{.Attempt}} a
where a.job_id = r.value->>'job_id' and a.attempt = r.value->>'attempt' and a.lease_token = ?2
  and a.outcome = r.value->>'outcome' and a.class is (r.value->>'class'){{end}}

{{define "renew"}}update {{.Job}} set lease_until = {now} + (r.value->>'lease_ms') from json_each(?1) r
where {{.Job}}.job_id = r.value->>'job_id' and {{.Job}}.attempt = r.value->>'attempt' and {{.Job}}.lease_token = ?2
returning job_id, attempt{{end}}

{{define "held"}}select {{template "jobColumns" .}}
from {{.Job}} where state = 'running' and lease_token = cast(?1 as text){{end}}

{{define "over"}}state = 'running' and queue in (select value from json_each(?1)) and lease_until < {now}{{end}}

{{define "company"}}update {{.Job}} set company = 1 where state = 'running' and lease_token in (
  select lease_token from {{.Job}} where state = 'running' and lease_token in (select lease_token from {{.Job}} where {{template "over"}})
  group by lease_token having count(*) > 1){{end}}

{{define "expired"}}select {{template "jobColumns" .}}
from {{.Job}} where {{template "over"}} order by lease_until limit 100{{end}}

{{define "stats"}}select queue, sum(due), max(waiting), sum(later), sum(running), sum(overdue) from (
  select queue, next_run_at <= {now} due, max(0, {now} - next_run_at) waiting, next_run_at > {now} later, 0 running, 0 overdue from {{.Job}} where state = 'scheduled' and run_alone = 0
  union all
  select queue, next_run_at <= {now}, max(0, {now} - next_run_at), next_run_at > {now}, 0, 0 from {{.Job}} where state = 'scheduled' and run_alone = 1
  union all
  select queue, 0, 0, 0, 1, lease_until < {now} from {{.Job}} where state = 'running'
  union all
  select queue, 0, 0, 0, 0, 0 from {{.Job}} where state = 'dead')
group by queue order by queue{{end}}

{{define "dead"}}select queue, last_class, dead_reason, count(*) from {{.Job}} where state = 'dead' group by queue, last_class, dead_reason order by queue, last_class, dead_reason{{end}}

{{/* By queue: how long ago a job died of an error of which no other had died that is still dead. */}}
{{define "fingerprints"}}select queue, max(0, {now} - max(first_at)) from (
  select queue, min(dead_at) as first_at from {{.Job}} where state = 'dead' group by queue, fingerprint) errors
group by queue{{end}}

{{define "ledger"}}select attempt, outcome, coalesce(class, ''), decision, coalesce(dead_reason, ''), coalesce(error_detail, ''), coalesce(delay_ms, 0), coalesce(fingerprint, '')
from {{.Attempt}} where job_id = ?1 order by attempt{{end}}

{{define "nextRun"}}select max(0, next_run_at - {now}) from {{.Job}} where job_id = ?1 and state = 'scheduled'{{end}}
