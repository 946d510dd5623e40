{{define "present"}}select count(*) from sqlite_master where type = 'table' and name in ('{{.Job}}', '{{.Attempt}}'){{end}}

{{define "tables"}}select job_id, queue, idempotency_key, payload, payload_sha256, policy_hash, state, generation, attempt, failures, throttles, crashes, interrupts,
  snoozes, created_at, first_attempt_at, next_run_at, lease_token, lease_until, started_at, worker, last_class, last_error, fingerprint, dead_reason, dead_at
  {{- if .Tenants}}, tenant_id, tier{{end}}{{range .Columns}}, {{.Name}}{{end}} from {{.Job}} limit 0;
select job_id, attempt, outcome, error_detail, attempted_at, queue, generation, class, decision, dead_reason, delay_ms, retry_after_ms, fingerprint,
  payload_sha256, started_at, lease_token, worker, policy_hash{{if .Tenants}}, tenant_id{{end}}{{range .Columns}}, {{.Name}}{{end}} from {{.Attempt}} limit 0{{end}}

{{define "enqueue"}}insert into {{.Job}} (job_id, queue, idempotency_key, payload, payload_sha256, policy_hash{{if .Tenants}}, tenant_id, tier{{end}}{{range .Columns}}, {{.Name}}{{end}}, created_at, next_run_at)
select value->>'job_id', value->>'queue', value->>'idempotency_key', cast(value->>'payload' as blob), unhex(value->>'payload_sha256'), value->>'policy_hash'
  {{- if .Tenants}}, value->>'tenant_id', value->>'tier'{{end}}{{range .Columns}}, {{.FromJSON}}{{end}}, {now}, {now}
from json_each(?1) where true
on conflict (job_id) do nothing
returning job_id, state, lower(hex(payload_sha256)){{end}}

{{define "existing"}}select job_id, state, lower(hex(payload_sha256)) from {{.Job}}
where job_id in (select value->>'job_id' from json_each(?1)){{end}}

{{define "jobColumns"}}job_id, generation, attempt, lease_token, coalesce(idempotency_key, ''), {{if .Tenants}}coalesce(tier, ''){{else}}''{{end}}, payload,
  {now} - first_attempt_at, failures, throttles, crashes, interrupts, snoozes{{end}}

{{define "claim"}}update {{.Job}} set state = 'running', attempt = attempt + 1, lease_token = ?3, worker = ?4, started_at = {now}, lease_until = {now} + ?5,
  first_attempt_at = coalesce(first_attempt_at, {now})
where job_id in (select job_id from {{.Job}} where state = 'scheduled' and queue = ?1 and next_run_at <= {now} order by next_run_at, job_id limit ?2)
returning {{template "jobColumns" .}}{{end}}

{{define "renew"}}update {{.Job}} set lease_until = {now} + ?3
where job_id in (select value from json_each(?1)) and lease_token = ?2
returning job_id, attempt{{end}}

{{define "expired"}}select {{template "jobColumns" .}}
from {{.Job}} where state = 'running' and queue = ?1 and lease_until < {now} order by lease_until limit ?2{{end}}

{{define "finishLedger"}}insert into {{.Attempt}} (job_id, attempt, outcome, error_detail, attempted_at, queue{{if .Tenants}}, tenant_id{{end}}{{range .Columns}}, {{.Name}}{{end}}, generation, class,
  decision, dead_reason, delay_ms, retry_after_ms, fingerprint, payload_sha256, started_at, lease_token, worker, policy_hash)
select j.job_id, j.attempt, r.value->>'outcome', r.value->>'error_detail', {now}, j.queue{{if .Tenants}}, j.tenant_id{{end}}{{range .Columns}}, j.{{.Name}}{{end}}, j.generation, r.value->>'class',
  r.value->>'decision', r.value->>'dead_reason', r.value->>'delay_ms', r.value->>'retry_after_ms', r.value->>'fingerprint', j.payload_sha256, j.started_at, j.lease_token, j.worker, r.value->>'policy_hash'
from json_each(?1) r cross join {{.Job}} j
where j.job_id = r.value->>'job_id' and j.attempt = r.value->>'attempt' and j.lease_token = r.value->>'token'
  and (r.value->>'reaped' is null or j.lease_until < {now}){{end}}

{{define "finishDelete"}}delete from {{.Job}} where (job_id, attempt, lease_token) in
  (select value->>'job_id', value->>'attempt', value->>'token' from json_each(?1) where value->>'next' = 'gone'){{end}}

{{define "finishReschedule"}}update {{.Job}} set state = r.value->>'next', lease_token = null, lease_until = null,
  next_run_at = case when r.value->>'next' = 'scheduled' then {now} + (r.value->>'delay_ms') else next_run_at end,
  failures = failures + (coalesce(r.value->>'budget', '') = 'failures'), throttles = throttles + (coalesce(r.value->>'budget', '') = 'throttles'),
  crashes = crashes + (coalesce(r.value->>'budget', '') = 'crashes'), interrupts = interrupts + (coalesce(r.value->>'budget', '') = 'interrupts'),
  snoozes = snoozes + (coalesce(r.value->>'budget', '') = 'snoozes'),
  last_class = r.value->>'class', last_error = r.value->>'error_detail', fingerprint = r.value->>'fingerprint',
  dead_reason = r.value->>'dead_reason', dead_at = case when r.value->>'next' = 'dead' then {now} end,
  payload = case when r.value->>'next' = 'done' then x'' else payload end
from json_each(?1) r
where {{.Job}}.job_id = r.value->>'job_id' and {{.Job}}.attempt = r.value->>'attempt' and {{.Job}}.lease_token = r.value->>'token' and r.value->>'next' <> 'gone'{{end}}
