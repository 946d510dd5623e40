{{define "migration"}}-- One row is one job, and the row is the work: a process owns it while it holds the lease.
-- Times are by the clock of this database.
create table {{.Job}} (
  job_id            uuid        not null primary key, -- derived from queue and idempotency_key where there is a key
  queue             text        not null,
{{- if .Tenants}}
  tenant_id         text,
  tier              text, -- chooses the ladder{{end}}
  idempotency_key   text, -- the JSON array of its fields; null: no key
  payload           bytea       not null, -- JSON; emptied once a job with a key is done
  payload_sha256    bytea       not null,
  schema_hash       text        not null, -- of the payload's fields, as the producer knew them
  policy_hash       text        not null, -- of the policy that made the row
{{- if .Traces}}
  traceparent       text, -- of the span that enqueued it, as W3C Trace Context writes it{{end}}
{{- range .Columns}}
  {{pad .Name 17}} {{.SQLType}}, -- from the payload{{end}}
  state             text        not null default 'scheduled' check (state in ('scheduled', 'running', 'done', 'dead', 'cancelled')),
  generation        integer     not null default 1 check (generation >= 1),
  attempt           integer     not null default 0 check (attempt >= 0), -- of the last run; it never goes back
  -- what this generation has used of each budget
  failures          integer     not null default 0 check (failures >= 0),
  throttles         integer     not null default 0 check (throttles >= 0),
  crashes           integer     not null default 0 check (crashes >= 0),
  shared_crashes    integer     not null default 0 check (shared_crashes >= 0), -- of processes that ran other jobs too
  interrupts        integer     not null default 0 check (interrupts >= 0),
  snoozes           integer     not null default 0 check (snoozes >= 0),
  created_at        timestamptz not null,
  first_attempt_at  timestamptz, -- of this generation
  next_run_at       timestamptz not null,
  run_alone         boolean     not null default false, -- after a crash: with nothing beside it
  lease_token       text, -- of the process that runs it
  lease_until       timestamptz,
  started_at        timestamptz,
  company           boolean     not null default false, -- the process that is gone ran other jobs too
  worker            text, -- host and process id of the last run
{{- if .Brokers}}
  message_id        text, -- of the message that began the last run; null: the poll did
  delivery_count    integer, -- how often that message had come{{end}}
  last_class        text,
  last_error        text,
  fingerprint       text, -- the same for errors that have one cause
  dead_reason       text check (dead_reason in ('permanent', 'failures', 'throttles', 'crashes', 'interrupts', 'snoozes', 'window', 'retry_after', 'undecodable', 'discarded')),
  dead_at           timestamptz,
  check ((state = 'running') = (lease_token is not null)),
  check ((state = 'running') = (lease_until is not null)),
  check ((state = 'dead') = (dead_reason is not null)),
  check ((state = 'dead') = (dead_at is not null)),
  check (state <> 'running' or attempt >= 1 and started_at is not null)
) with (
  fillfactor = 50, -- a row is rewritten several times: in its own page
  autovacuum_vacuum_scale_factor = 0.02,
  vacuum_truncate = false -- an empty queue keeps its pages: plans that fit it fit the next million jobs too
);
create index {{.Job}}_ready on {{.Job}} (queue, next_run_at, job_id) where state = 'scheduled' and not run_alone;
create index {{.Job}}_alone on {{.Job}} (queue, next_run_at, job_id) where state = 'scheduled' and run_alone;
create index {{.Job}}_running on {{.Job}} (queue, started_at) where state = 'running'; -- without lease_until, which every renewal moves
create index {{.Job}}_dead on {{.Job}} (queue, last_class, dead_reason) where state = 'dead';
{{- if .Redrive}}
create index {{.Job}}_dead_at on {{.Job}} (dead_at, job_id) where state = 'dead'; -- for whoever looks through them{{end}}
{{- range .Columns}}{{if .Index}}
create index {{$.Job}}_{{.Name}} on {{$.Job}} ({{.Name}}) where state = 'dead';{{end}}{{end}}

-- The ledger. One row is one attempt that ended: written once, never changed. Deleting is for retention alone.
create table {{.Attempt}} (
  job_id            uuid        not null,
  attempt           integer     not null check (attempt >= 1),
  outcome           text        not null check (outcome in ('ok', 'transient', 'permanent')),
  error_detail      text,
  attempted_at      timestamptz not null, -- when it ended
  queue             text        not null,
{{- if .Tenants}}
  tenant_id         text,{{end}}
{{- range .Columns}}
  {{pad .Name 17}} {{.SQLType}}, -- from the payload{{end}}
  generation        integer     not null,
  class             text, -- null: it succeeded
  decision          text        not null check (decision in ('done', 'retry', 'dead')),
  dead_reason       text,
  delay_ms          bigint, -- until the next attempt is due
  retry_after_ms    bigint, -- that the other side asked for
  fingerprint       text,
  payload_sha256    bytea       not null,
  started_at        timestamptz not null,
  lease_token       text        not null,
  worker            text        not null,
  policy_hash       text        not null, -- of the policy that decided
{{- if .Brokers}}
  message_id        text, -- of the message that began the run; null: the poll did
  delivery_count    integer, -- how often that message had come{{end}}
  primary key (job_id, attempt),
  check ((outcome = 'ok') = (decision = 'done')),
  check ((outcome = 'ok') = (class is null)),
  check ((decision = 'retry') = (delay_ms is not null)),
  check ((decision = 'dead') = (dead_reason is not null))
);
{{- range .Columns}}{{if .Index}}
create index {{$.Attempt}}_{{.Name}} on {{$.Attempt}} ({{.Name}});{{end}}{{end}}
{{- if .Purge}}
create index {{.Attempt}}_attempted_at on {{.Attempt}} (attempted_at); -- for retention{{end}}
{{if .Goose}}
-- +goose StatementBegin{{end}}
create function {{.Attempt}}_append_only() returns trigger language plpgsql as $$
begin
  raise exception 'the ledger is append-only';
end $$;
{{- if .Goose}}
-- +goose StatementEnd{{end}}
create trigger {{.Attempt}}_append_only before update on {{.Attempt}} for each row execute function {{.Attempt}}_append_only();

-- What a person has to look at.
{{template "view" .}}
{{- if .Purge}}

{{template "purgeTable" .}}{{end}}
{{- if .Redrive}}

{{template "redriveTables" .}}{{end}}
{{end}}
{{define "down"}}-- This drops the ledger, and every job that is not done.
drop view {{.DeadLetter}};
drop table {{.Attempt}};
drop function {{.Attempt}}_append_only();
drop table {{.Job}};
{{- if .Purge}}
drop table {{.Purge}};{{end}}
{{- if .Redrive}}
drop table {{.Redrive}}_item;
drop table {{.Redrive}};{{end}}
{{end}}
{{define "purgeTable"}}-- What retention has deleted: one row is one batch.
create table {{.Purge}} (
  purge_id          bigint      generated always as identity primary key,
  purged_at         timestamptz not null,
  purged_by         text        not null, -- the role
  attempts_before   timestamptz not null, -- jobs without a key had ended before this
  keys_before       timestamptz not null, -- jobs with a key had
  jobs              bigint      not null, -- with a key or without
  attempts          bigint      not null
);{{end}}
{{define "redriveTables"}}-- What somebody has decided about dead jobs: one row is one plan, and what became of it.
create table {{.Redrive}} (
  redrive_id        uuid        not null primary key,
  kind              text        not null check (kind in ('redrive', 'discard', 'amend')),
  state             text        not null default 'planned' check (state in ('planned', 'applying', 'stopped', 'done', 'undone')),
  created_at        timestamptz not null,
  planned_by        text        not null, -- the role
  selector          jsonb       not null, -- which dead jobs were asked for
  plan_hash         text        not null, -- SHA-256 over the job_ids and generations, in their order
  jobs              integer     not null,
  operator          text, -- who applied it last
  reason            text,
  decisions         jsonb       not null default '[]', -- every one: what, who, why and when
  canary            integer, -- as it was in force
  batch             integer,
  every_ms          bigint,
  stopped_why       text,
  lease_token       text, -- of the process that applies it
  lease_until       timestamptz,
  started_at        timestamptz,
  ended_at          timestamptz,
  -- so far
  handled           integer     not null default 0, -- have a result: the items up to this seq
  sent              integer     not null default 0,
  -- since a person has begun it, the first time or after a stop
  from_seq          integer     not null default 0, -- handled before
  from_sent         integer     not null default 0, -- sent before
  judged            integer     not null default 0, -- first attempts that ended
  failed            integer     not null default 0,
  same_error        integer     not null default 0, -- with the error that the job was dead of
  check ((lease_token is null) = (lease_until is null)),
  check (state = 'planned' or operator is not null and reason is not null),
  check (state <> 'stopped' or stopped_why is not null)
);
create index {{.Redrive}}_created_at on {{.Redrive}} (created_at, redrive_id);

-- The dead jobs of a plan, as they were when it was made, and what became of each.
create table {{.Redrive}}_item (
  redrive_id        uuid        not null,
  seq               integer     not null, -- the order in which they go
  job_id            uuid        not null,
  from_generation   integer     not null,
  queue             text        not null,
  fingerprint       text,
  dead_reason       text        not null,
  dead_at           timestamptz not null,
  result            text check (result in ('sent', 'discarded', 'changed', 'generations', 'undone')),
  detail            text,
  at                timestamptz, -- of the result, or of what was undone
  undone_at         timestamptz,
  after_attempt     integer, -- the first one of the new generation comes next
  first_attempt     text check (first_attempt in ('ok', 'failed', 'same_error')), -- how that ended
  was               jsonb, -- what undo puts back
  payload_sha256_before bytea, -- where it was amended
  payload_sha256_after  bytea,
  primary key (redrive_id, seq)
);
create index {{.Redrive}}_item_job on {{.Redrive}}_item (job_id, from_generation) where result is not null;
create index {{.Redrive}}_item_open on {{.Redrive}}_item (redrive_id, seq) where result = 'sent' and first_attempt is null;{{end}}
{{define "view"}}create view {{.DeadLetter}} as
select job_id, queue, {{if .Tenants}}tenant_id, {{end}}{{range .Columns}}{{.Name}}, {{end}}idempotency_key, generation, attempt, dead_reason, dead_at, last_class, last_error, fingerprint, payload
from {{.Job}} where state = 'dead';{{end}}
