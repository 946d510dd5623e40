{{define "present"}}select count(*) from information_schema.tables where table_schema = database() and table_name in ('{{.Job}}', '{{.Attempt}}'){{end}}

{{define "tables"}}select job_id, queue, idempotency_key, payload, payload_sha256, schema_hash, policy_hash, state, generation, attempt, failures, throttles, crashes,
  shared_crashes, interrupts, snoozes, created_at, first_attempt_at, next_run_at, run_alone, lease_token, lease_until, started_at, company, worker, last_class,
  last_error, fingerprint, dead_reason, dead_at{{if .Traces}}, traceparent{{end}}{{if .Tenants}}, tenant_id, tier{{end}}{{range .Columns}}, {{.Name}}{{end}} from {{.Job}} limit 0;
select job_id, attempt, outcome, error_detail, attempted_at, queue, generation, class, decision, dead_reason, delay_ms, retry_after_ms, fingerprint,
  payload_sha256, started_at, lease_token, worker, policy_hash{{if .Tenants}}, tenant_id{{end}}{{range .Columns}}, {{.Name}}{{end}} from {{.Attempt}} limit 0
{{- if .Purge}};
select purge_id, purged_at, purged_by, attempts_before, keys_before, jobs, attempts from {{.Purge}} limit 0{{end}}{{end}}

{{/* A document is a table whose types are wide enough for all that can be in it: what does not fit would come out as null. */}}
{{/* Every index is named: to statistics of a small or empty table, reading it whole looks as good, and that waits for what others have locked. */}}
{{define "jobID"}}job_id char(36) character set ascii collate ascii_bin path '$.job_id'{{end}}
{{define "jobIDs"}}json_table(?, '$[*]' columns (job_id char(36) character set ascii collate ascii_bin path '$')) i{{end}}

{{define "jsonType"}}{{if eq .SQLType "longtext"}}longtext character set utf8mb4{{else if eq .SQLType "datetime(6)"}}varchar(40) character set ascii{{else}}{{.SQLType}}{{end}}{{end}}

{{define "enqueue"}}insert into {{.Job}} (job_id, queue, idempotency_key, payload, payload_sha256, schema_hash, policy_hash{{if .Traces}}, traceparent{{end}}{{if .Tenants}}, tenant_id, tier{{end}}{{range .Columns}}, {{.Name}}{{end}}, created_at, next_run_at)
select i.job_id, i.queue, i.idempotency_key, cast(i.payload as binary), unhex(i.payload_sha256), i.schema_hash, i.policy_hash
  {{- if .Traces}}, i.traceparent{{end}}{{if .Tenants}}, i.tenant_id, i.tier{{end}}{{range .Columns}}, {{.FromJSON}}{{end}}, {now}, {now}
from json_table(?, '$[*]' columns ({{template "jobID"}}, queue varchar(190) character set utf8mb4 path '$.queue', idempotency_key longtext character set utf8mb4 path '$.idempotency_key',
  payload longtext character set utf8mb4 path '$.payload', payload_sha256 char(64) character set ascii path '$.payload_sha256',
  schema_hash varchar(64) character set utf8mb4 path '$.schema_hash', policy_hash varchar(64) character set utf8mb4 path '$.policy_hash'
  {{- if .Traces}}, traceparent varchar(64) character set ascii collate ascii_bin path '$.traceparent'{{end}}{{if .Tenants}}, tenant_id longtext character set utf8mb4 path '$.tenant_id', tier longtext character set utf8mb4 path '$.tier'{{end}}
  {{- range .Columns}}, {{.Name}} {{template "jsonType" .}} path '$.columns.{{.Name}}'{{end}})) i{{end}}

{{define "existing"}}select j.job_id, j.state, lower(hex(j.payload_sha256)) from {{template "jobIDs"}} straight_join {{.Job}} j force index (primary) on j.job_id = i.job_id{{end}}

{{/* It sees what has been committed since the transaction began, whatever the isolation. */}}
{{define "existingNow"}}{{template "existing" .}} lock in share mode{{end}}

{{define "jobColumns"}}job_id, queue, generation, attempt, coalesce(lease_token, ''), coalesce(idempotency_key, ''), {{if .Tenants}}coalesce(tenant_id, ''), coalesce(tier, ''){{else}}'', ''{{end}}, payload, schema_hash,
  coalesce(timestampdiff(microsecond, first_attempt_at, {now}) div 1000, 0), timestampdiff(microsecond, created_at, {now}) div 1000, company,
  failures, throttles, crashes, shared_crashes, interrupts, snoozes{{if .Traces}}, coalesce(traceparent, ''){{end}}{{end}}

{{define "dueNow"}}{{.Job}} force index ({{.Job}}_ready) where state = 'scheduled'{{end}}

{{define "due"}}select q.name,
  exists (select 1 from {{template "dueNow" .}} and run_alone = 0 and queue = q.name and next_run_at <= {now}),
  exists (select 1 from {{template "dueNow" .}} and run_alone = 1 and queue = q.name and next_run_at <= {now})
from json_table(?, '$[*]' columns (name varchar(190) character set utf8mb4 collate utf8mb4_bin path '$')) q{{end}}

{{define "claim"}}select {{template "jobColumns" .}}
from {{template "dueNow" .}} and run_alone = ? and queue = ? and next_run_at <= {now} order by next_run_at, job_id limit ? for update skip locked{{end}}

{{define "begin"}}update {{template "jobIDs"}} straight_join {{.Job}} j force index (primary) on j.job_id = i.job_id
set j.state = 'running', j.attempt = j.attempt + 1, j.lease_token = ?, j.worker = ?, j.started_at = {now}, j.lease_until = {now} + interval ? microsecond, j.company = 0,
  j.first_attempt_at = coalesce(j.first_attempt_at, {now}){{end}}

{{/* Never by state: job_id finds the row, and attempt and token say whether it is still the holder's. */}}
{{define "ends"}}json_table(?, '$[*]' columns ({{template "jobID"}}, attempt integer path '$.attempt', token varchar(64) character set ascii collate ascii_bin path '$.token',
  reaped tinyint(1) path '$.reaped', put_back tinyint(1) path '$.put_back', outcome varchar(10) character set utf8mb4 path '$.outcome', class varchar(190) character set utf8mb4 path '$.class',
  budget varchar(20) character set ascii path '$.budget', error_detail longtext character set utf8mb4 path '$.error_detail', fingerprint varchar(64) character set utf8mb4 path '$.fingerprint',
  retry_after_ms bigint path '$.retry_after_ms', policy_hash varchar(64) character set utf8mb4 path '$.policy_hash', decision varchar(10) character set utf8mb4 path '$.decision',
  next varchar(10) character set ascii path '$.next', delay_ms bigint path '$.delay_ms', dead_reason varchar(20) character set ascii path '$.dead_reason', run_alone tinyint(1) path '$.run_alone')) i
straight_join {{.Job}} j force index (primary) on j.job_id = i.job_id and j.attempt = i.attempt and j.lease_token = i.token{{end}}

{{/* What the fence lets through is locked, in the order of the document, and ends at the time that this answers. */}}
{{define "fence"}}select j.job_id, j.attempt, cast({now} as char) from {{template "ends" .}}
where i.reaped is null or j.lease_until < {now} for update{{end}}

{{define "finishLedger"}}insert into {{.Attempt}} (job_id, attempt, outcome, error_detail, attempted_at, queue{{if .Tenants}}, tenant_id{{end}}{{range .Columns}}, {{.Name}}{{end}}, generation, class,
  decision, dead_reason, delay_ms, retry_after_ms, fingerprint, payload_sha256, started_at, lease_token, worker, policy_hash)
select j.job_id, j.attempt, i.outcome, i.error_detail, ?, j.queue{{if .Tenants}}, j.tenant_id{{end}}{{range .Columns}}, j.{{.Name}}{{end}}, j.generation, i.class,
  i.decision, i.dead_reason, case when i.decision = 'retry' then coalesce(i.delay_ms, 0) end, i.retry_after_ms, i.fingerprint, j.payload_sha256, j.started_at, j.lease_token, j.worker, i.policy_hash
from {{template "ends" .}} where i.put_back is null{{end}}

{{define "finishDelete"}}delete j from {{template "ends" .}} where i.next = 'gone' and i.put_back is null{{end}}

{{/* The order in which an update of two tables sets columns is not said: no value is made of a column that is set before. */}}
{{define "finishJob"}}update {{template "ends" .}}
set j.state = i.next, j.lease_token = null, j.lease_until = null, j.company = 0, j.run_alone = case when i.budget <=> 'interrupts' then j.run_alone else coalesce(i.run_alone, 0) end,
  j.next_run_at = case when i.next = 'scheduled' then cast(? as datetime(6)) + interval coalesce(i.delay_ms, 0) * 1000 microsecond else j.next_run_at end,
  j.failures = j.failures + (i.budget <=> 'failures'), j.throttles = j.throttles + (i.budget <=> 'throttles'), j.crashes = j.crashes + (i.budget <=> 'crashes'),
  j.shared_crashes = j.shared_crashes + (i.budget <=> 'shared_crashes'), j.interrupts = j.interrupts + (i.budget <=> 'interrupts'), j.snoozes = j.snoozes + (i.budget <=> 'snoozes'),
  j.last_class = i.class, j.last_error = i.error_detail, j.fingerprint = i.fingerprint, j.dead_reason = i.dead_reason,
  j.dead_at = case when i.next = 'dead' then cast(? as datetime(6)) end, j.payload = case when i.next = 'done' then '' else j.payload end
where i.next <> 'gone' and i.put_back is null{{end}}

{{define "finishBack"}}update {{template "ends" .}}
set j.state = 'scheduled', j.attempt = i.attempt - 1, j.lease_token = null, j.lease_until = null, j.company = 0,
  j.first_attempt_at = case when i.attempt > 1 then j.first_attempt_at end, j.next_run_at = cast(? as datetime(6)) + interval coalesce(i.delay_ms, 0) * 1000 microsecond
where i.put_back = 1{{end}}

{{define "recorded"}}select a.job_id from json_table(?, '$[*]' columns ({{template "jobID"}}, attempt integer path '$.attempt',
  outcome varchar(10) character set utf8mb4 collate utf8mb4_bin path '$.outcome', class varchar(190) character set utf8mb4 collate utf8mb4_bin path '$.class')) i
straight_join {{.Attempt}} a force index (primary) on a.job_id = i.job_id and a.attempt = i.attempt
where a.lease_token = ? and a.outcome = i.outcome and a.class <=> i.class{{end}}

{{define "ours"}}select j.job_id, j.attempt from {{template "jobIDs"}} straight_join {{.Job}} j force index (primary) on j.job_id = i.job_id and j.lease_token = ?{{end}}

{{define "lock"}}{{template "ours" .}} for update skip locked{{end}}

{{define "renew"}}update json_table(?, '$[*]' columns ({{template "jobID"}}, lease_ms bigint path '$.lease_ms')) i straight_join {{.Job}} j force index (primary) on j.job_id = i.job_id
set j.lease_until = {now} + interval i.lease_ms * 1000 microsecond{{end}}

{{define "expired"}}select {{template "jobColumns" .}}
from {{.Job}} force index ({{.Job}}_running) where lease_until < {now} and json_contains(?, json_quote(queue))
order by lease_until limit 100 for update skip locked{{end}}

{{define "held"}}select {{template "jobColumns" .}}
from {{.Job}} force index ({{.Job}}_running) where lease_until is not null and lease_token = ?{{end}}

{{define "leases"}}select lease_token, job_id, company from {{.Job}} force index ({{.Job}}_running) where lease_until is not null{{end}}

{{define "company"}}update {{template "jobIDs"}} straight_join {{.Job}} j force index (primary) on j.job_id = i.job_id set j.company = 1{{end}}

{{define "stats"}}select queue, sum(due), max(waiting), sum(later), sum(running), sum(overdue) from (
  select queue, next_run_at <= {now} as due, greatest(0, timestampdiff(microsecond, next_run_at, {now}) div 1000) as waiting, next_run_at > {now} as later, 0 as running, 0 as overdue
  from {{template "dueNow" .}}
  union all
  select queue, 0, 0, 0, 1, lease_until < {now} from {{.Job}} force index ({{.Job}}_running) where lease_until is not null
  union all
  select queue, 0, 0, 0, 0, 0 from {{.Job}} force index ({{.Job}}_dead) where dead_reason is not null) all_jobs
group by queue order by queue{{end}}

{{define "dead"}}select queue, last_class, dead_reason, count(*) from {{.Job}} force index ({{.Job}}_dead) where dead_reason is not null
group by queue, last_class, dead_reason order by queue, last_class, dead_reason{{end}}

{{/* By queue: how long ago a job died of an error of which no other had died that is still dead. */}}
{{define "fingerprints"}}select queue, greatest(0, timestampdiff(microsecond, max(first_at), {now}) div 1000) from (
  select queue, min(dead_at) as first_at from {{.Job}} force index ({{.Job}}_dead) where dead_reason is not null group by queue, fingerprint) errors
group by queue{{end}}

{{define "ledger"}}select attempt, outcome, coalesce(class, ''), decision, coalesce(dead_reason, ''), coalesce(error_detail, ''), coalesce(delay_ms, 0), coalesce(fingerprint, '')
from {{.Attempt}} where job_id = ? order by attempt{{end}}

{{define "nextRun"}}select greatest(0, timestampdiff(microsecond, {now}, next_run_at) div 1000) from {{.Job}} where job_id = ? and state = 'scheduled'{{end}}
