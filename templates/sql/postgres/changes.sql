{{- /* Each change is one template. They take the heaviest lock for a moment, wait for it no longer than lock_timeout, and
write no row anew, but for changeType, which has to be allowed. An index is made and dropped outside a transaction. */ -}}
{{define "before"}}-- It waits two seconds for a lock, and nothing waits behind it for longer: where that is not enough, run it again.
set local lock_timeout = '2s';
{{if .View}}drop view {{.Old.DeadLetter}}; -- and its grants: apply grants_gen.sql again
{{end}}{{if .Tables}}lock table {{.Old.Job}}, {{.Old.Attempt}} in access exclusive mode; -- in the order in which workers lock them
{{end}}{{end}}
{{define "after"}}{{if .View}}{{template "view" .New}}
{{end}}{{end}}

{{define "addColumn"}}alter table {{.Job}} add column {{.Column.Name}} {{.Column.SQLType}}; -- from the payload
alter table {{.Attempt}} add column {{.Column.Name}} {{.Column.SQLType}};
{{end}}
{{define "dropColumn"}}alter table {{.Job}} drop column {{.Column.Name}};
alter table {{.Attempt}} drop column {{.Column.Name}};
{{end}}
{{define "renameColumn"}}alter table {{.Job}} rename column {{.Was.Name}} to {{.Column.Name}};
alter table {{.Attempt}} rename column {{.Was.Name}} to {{.Column.Name}};
{{if .Was.Index}}alter index {{.Job}}_{{.Was.Name}} rename to {{.Job}}_{{.Column.Name}};
alter index {{.Attempt}}_{{.Was.Name}} rename to {{.Attempt}}_{{.Column.Name}};
{{end}}{{end}}
{{define "changeType"}}-- This writes every row anew, and locks the table until it is done.
alter table {{.Job}} alter column {{.Column.Name}} type {{.Column.SQLType}} using {{template "converted" .}};
alter table {{.Attempt}} alter column {{.Column.Name}} type {{.Column.SQLType}} using {{template "converted" .}};
{{end}}
{{define "converted"}}{{$name := .Column.Name -}}
{{if eq .Types "timestamp text"}}to_char({{$name}} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')
{{- else if eq .Types "boolean integer"}}{{$name}}::integer
{{- else if eq .Types "boolean real"}}{{$name}}::integer::double precision
{{- else if eq .Types "integer boolean"}}{{$name}}::integer::boolean
{{- else if eq .Types "integer timestamp" "real timestamp" "boolean timestamp" "timestamp integer" "timestamp real" "timestamp boolean" "real boolean"}}null
{{- else}}{{$name}}::{{.Column.SQLType}}{{end}}{{end}}

{{define "addJobIndex"}}-- Where it fails, drop the index that it leaves, and run it again.
create index concurrently {{.Job}}_{{.Column.Name}} on {{.Job}} ({{.Column.Name}}) where state = 'dead';
{{end}}
{{define "addAttemptIndex"}}-- Where it fails, drop the index that it leaves, and run it again.
create index concurrently {{.Attempt}}_{{.Column.Name}} on {{.Attempt}} ({{.Column.Name}});
{{end}}
{{define "dropJobIndex"}}drop index concurrently {{.Job}}_{{.Column.Name}};
{{end}}
{{define "dropAttemptIndex"}}drop index concurrently {{.Attempt}}_{{.Column.Name}};
{{end}}

{{define "addTenants"}}alter table {{.Job}} add column tenant_id text, add column tier text; -- the tier chooses the ladder
alter table {{.Attempt}} add column tenant_id text;
{{end}}
{{define "dropTenants"}}alter table {{.Job}} drop column tenant_id, drop column tier;
alter table {{.Attempt}} drop column tenant_id;
{{end}}

{{define "addBrokers"}}alter table {{.Job}} add column message_id text, add column delivery_count integer; -- of the message that began a run
alter table {{.Attempt}} add column message_id text, add column delivery_count integer;
{{end}}
{{define "dropBrokers"}}alter table {{.Job}} drop column message_id, drop column delivery_count;
alter table {{.Attempt}} drop column message_id, drop column delivery_count;
{{end}}

{{define "addTraces"}}alter table {{.Job}} add column traceparent text; -- of the span that enqueued it
{{end}}
{{define "dropTraces"}}alter table {{.Job}} drop column traceparent;
{{end}}

{{define "renameJob"}}{{template "renameTable" .}}alter index {{.WasName}}_ready rename to {{.Name}}_ready;
alter index {{.WasName}}_alone rename to {{.Name}}_alone;
alter index {{.WasName}}_running rename to {{.Name}}_running;
alter index {{.WasName}}_dead rename to {{.Name}}_dead;
{{if .Redrive}}alter index {{.WasName}}_dead_at rename to {{.Name}}_dead_at;
{{end}}{{end}}
{{define "renameAttempt"}}{{template "renameTable" .}}alter trigger {{.WasName}}_append_only on {{.Name}} rename to {{.Name}}_append_only;
alter function {{.WasName}}_append_only() rename to {{.Name}}_append_only;
{{if .Purge}}alter index {{.WasName}}_attempted_at rename to {{.Name}}_attempted_at;
{{end}}{{end}}
{{define "renameTable"}}alter table {{.WasName}} rename to {{.Name}};
alter index {{.WasName}}_pkey rename to {{.Name}}_pkey;
{{range .Columns}}{{if .Index}}alter index {{$.WasName}}_{{.Name}} rename to {{$.Name}}_{{.Name}};
{{end}}{{end}}{{end}}
{{define "renameView"}}{{end}}

{{define "addPurge"}}{{template "purgeTable" .}}
{{end}}
{{define "dropPurge"}}drop table {{.WasName}};
{{end}}
{{define "renamePurge"}}alter table {{.WasName}} rename to {{.Name}};
alter index {{.WasName}}_pkey rename to {{.Name}}_pkey;
alter sequence {{.WasName}}_purge_id_seq rename to {{.Name}}_purge_id_seq;
{{end}}
{{define "addRedrive"}}{{template "redriveTables" .}}
{{end}}
{{define "dropRedrive"}}drop table {{.WasName}}_item;
drop table {{.WasName}};
{{end}}
{{define "renameRedrive"}}alter table {{.WasName}} rename to {{.Name}};
alter index {{.WasName}}_pkey rename to {{.Name}}_pkey;
alter index {{.WasName}}_created_at rename to {{.Name}}_created_at;
alter table {{.WasName}}_item rename to {{.Name}}_item;
alter index {{.WasName}}_item_pkey rename to {{.Name}}_item_pkey;
alter index {{.WasName}}_item_job rename to {{.Name}}_item_job;
alter index {{.WasName}}_item_open rename to {{.Name}}_item_open;
{{end}}
{{define "addRedriveIndex"}}-- Where it fails, drop the index that it leaves, and run it again.
create index concurrently {{.Job}}_dead_at on {{.Job}} (dead_at, job_id) where state = 'dead';
{{end}}
{{define "dropRedriveIndex"}}drop index concurrently {{.Job}}_dead_at;
{{end}}
{{define "addPurgeIndex"}}-- Where it fails, drop the index that it leaves, and run it again.
create index concurrently {{.Attempt}}_attempted_at on {{.Attempt}} (attempted_at);
{{end}}
{{define "dropPurgeIndex"}}drop index concurrently {{.Attempt}}_attempted_at;
{{end}}
