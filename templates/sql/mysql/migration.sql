{{define "migration"}}-- One row is one job, and the row is the work: a process owns it while it holds the lease.
-- Times are UTC, by the clock of this database.
create table {{.Job}} (
  job_id            char(36) character set ascii collate ascii_bin not null primary key, -- derived from queue and idempotency_key where there is a key
  queue             varchar(190) not null,
{{- if .Tenants}}
  tenant_id         text,
  tier              text, -- chooses the ladder{{end}}
  idempotency_key   longtext, -- the JSON array of its fields; null: no key
  payload           longblob     not null, -- JSON; emptied once a job with a key is done
  payload_sha256    binary(32)   not null,
  schema_hash       varchar(64)  not null, -- of the payload's fields, as the producer knew them
  policy_hash       varchar(64)  not null, -- of the policy that made the row
{{- if .Traces}}
  traceparent       varchar(64) character set ascii collate ascii_bin, -- of the span that enqueued it, as W3C Trace Context writes it{{end}}
{{- range .Columns}}
  {{pad .Name 17}} {{.SQLType}}, -- from the payload{{end}}
  state             varchar(10) character set ascii collate ascii_bin not null default 'scheduled' check (state in ('scheduled', 'running', 'done', 'dead', 'cancelled')),
  generation        integer      not null default 1 check (generation >= 1),
  attempt           integer      not null default 0 check (attempt >= 0), -- of the last run; it never goes back
  -- what this generation has used of each budget
  failures          integer      not null default 0 check (failures >= 0),
  throttles         integer      not null default 0 check (throttles >= 0),
  crashes           integer      not null default 0 check (crashes >= 0),
  shared_crashes    integer      not null default 0 check (shared_crashes >= 0), -- of processes that ran other jobs too
  interrupts        integer      not null default 0 check (interrupts >= 0),
  snoozes           integer      not null default 0 check (snoozes >= 0),
  created_at        datetime(6)  not null,
  first_attempt_at  datetime(6), -- of this generation
  next_run_at       datetime(6)  not null,
  run_alone         tinyint(1)   not null default 0 check (run_alone in (0, 1)), -- after a crash: with nothing beside it
  lease_token       varchar(64) character set ascii collate ascii_bin, -- of the process that runs it
  lease_until       datetime(6),
  started_at        datetime(6),
  company           tinyint(1)   not null default 0 check (company in (0, 1)), -- the process that is gone ran other jobs too
  worker            varchar(300), -- host and process id of the last run
  last_class        varchar(190),
  last_error        longtext,
  fingerprint       varchar(64), -- the same for errors that have one cause
  dead_reason       varchar(20) character set ascii collate ascii_bin check (dead_reason in ('permanent', 'failures', 'throttles', 'crashes', 'interrupts', 'snoozes', 'window', 'retry_after', 'undecodable', 'discarded')),
  dead_at           datetime(6),
  check ((state = 'running') = (lease_token is not null)),
  check ((state = 'running') = (lease_until is not null)),
  check ((state = 'dead') = (dead_reason is not null)),
  check ((state = 'dead') = (dead_at is not null)),
  check (state <> 'running' or attempt >= 1 and started_at is not null),
  index {{.Job}}_ready (state, run_alone, queue, next_run_at, job_id), -- done jobs lie together behind those that wait
  index {{.Job}}_running (lease_until, queue),
  index {{.Job}}_dead (dead_reason, queue, last_class)
{{- range .Columns}}{{if .Index}},
  index {{$.Job}}_{{.Name}} ({{template "indexed" .}}, dead_reason){{end}}{{end}}
) engine = innodb default character set utf8mb4 collate utf8mb4_bin;

-- The ledger. One row is one attempt that ended: written once, never changed. Deleting is for retention alone.
create table {{.Attempt}} (
  job_id            char(36) character set ascii collate ascii_bin not null,
  attempt           integer      not null check (attempt >= 1),
  outcome           varchar(10)  not null check (outcome in ('ok', 'transient', 'permanent')),
  error_detail      longtext,
  attempted_at      datetime(6)  not null, -- when it ended
  queue             varchar(190) not null,
{{- if .Tenants}}
  tenant_id         text,{{end}}
{{- range .Columns}}
  {{pad .Name 17}} {{.SQLType}}, -- from the payload{{end}}
  generation        integer      not null,
  class             varchar(190), -- null: it succeeded
  decision          varchar(10)  not null check (decision in ('done', 'retry', 'dead')),
  dead_reason       varchar(20),
  delay_ms          bigint, -- until the next attempt is due
  retry_after_ms    bigint, -- that the other side asked for
  fingerprint       varchar(64),
  payload_sha256    binary(32)   not null,
  started_at        datetime(6)  not null,
  lease_token       varchar(64) character set ascii collate ascii_bin not null,
  worker            varchar(300) not null,
  policy_hash       varchar(64)  not null, -- of the policy that decided
  primary key (job_id, attempt),
  check ((outcome = 'ok') = (decision = 'done')),
  check ((outcome = 'ok') = (class is null)),
  check ((decision = 'retry') = (delay_ms is not null)),
  check ((decision = 'dead') = (dead_reason is not null))
{{- range .Columns}}{{if .Index}},
  index {{$.Attempt}}_{{.Name}} ({{template "indexed" .}}){{end}}{{end}}
{{- if .Purge}},
  index {{.Attempt}}_attempted_at (attempted_at) -- for retention{{end}}
) engine = innodb default character set utf8mb4 collate utf8mb4_bin;

-- A server with a binary log lets an account without SUPER create a trigger only if log_bin_trust_function_creators is on.
-- Where it is off, have it turned on, and then run this statement and what follows it.
{{template "trigger" .}}

-- What a person has to look at: dead_reason is set while the job is dead, and indexed.
{{template "view" .}}
{{- if .Purge}}

{{template "purgeTable" .}}{{end}}
{{end}}
{{define "trigger"}}create trigger {{.Attempt}}_append_only before update on {{.Attempt}} for each row
  signal sqlstate '45000' set message_text = 'the ledger is append-only';{{end}}

{{define "view"}}create view {{.DeadLetter}} as
select job_id, queue, {{if .Tenants}}tenant_id, {{end}}{{range .Columns}}{{.Name}}, {{end}}idempotency_key, generation, attempt, dead_reason, dead_at, last_class, last_error, fingerprint, payload
from {{.Job}} where dead_reason is not null;{{end}}

{{define "indexed"}}{{.Name}}{{if eq .SQLType "longtext"}}(190){{end}}{{end}}
{{define "down"}}-- This drops the ledger, and every job that is not done.
drop view {{.DeadLetter}};
drop table {{.Attempt}};
drop table {{.Job}};
{{- if .Purge}}
drop table {{.Purge}};{{end}}
{{end}}
{{define "purgeTable"}}-- What retention has deleted: one row is one batch.
create table {{.Purge}} (
  purge_id          bigint       not null auto_increment primary key,
  purged_at         datetime(6)  not null,
  purged_by         varchar(300) not null, -- the account
  attempts_before   datetime(6)  not null, -- jobs without a key had ended before this
  keys_before       datetime(6)  not null, -- jobs with a key had
  jobs              bigint       not null, -- with a key or without
  attempts          bigint       not null
) engine = innodb default character set utf8mb4 collate utf8mb4_bin;{{end}}
