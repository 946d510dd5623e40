{{- /* Each change is one template. The server commits every statement that changes a table by itself, and the view and the
trigger are made anew around them. A column that is added comes last in its table: nothing depends on where one stands. */ -}}
{{define "before"}}-- Each statement commits by itself: where one fails, run it and what follows it again.
set session lock_wait_timeout = 5; -- seconds: nothing waits behind it for longer
{{if .View}}drop view {{.Old.DeadLetter}};
{{end}}{{if .Trigger}}drop trigger if exists {{.Old.Attempt}}_append_only;
{{end}}{{end}}
{{define "after"}}{{if .Trigger}}{{template "trigger" .New}}
{{end}}{{if .View}}{{template "view" .New}}
{{end}}{{end}}

{{define "addColumn"}}alter table {{.Job}} add column {{.Column.Name}} {{.Column.SQLType}}; -- from the payload
alter table {{.Attempt}} add column {{.Column.Name}} {{.Column.SQLType}};
{{end}}
{{define "dropColumn"}}alter table {{.Job}} drop column {{.Column.Name}};
alter table {{.Attempt}} drop column {{.Column.Name}};
{{end}}
{{define "addIndex"}}create index {{.Job}}_{{.Column.Name}} on {{.Job}} ({{template "indexed" .Column}}, dead_reason);
create index {{.Attempt}}_{{.Column.Name}} on {{.Attempt}} ({{template "indexed" .Column}});
{{end}}
{{define "dropIndex"}}drop index {{.Job}}_{{.Column.Name}} on {{.Job}};
drop index {{.Attempt}}_{{.Column.Name}} on {{.Attempt}};
{{end}}
{{define "renameColumn"}}alter table {{.Job}} rename column {{.Was.Name}} to {{.Column.Name}};
alter table {{.Attempt}} rename column {{.Was.Name}} to {{.Column.Name}};
{{if .Was.Index}}alter table {{.Job}} rename index {{.Job}}_{{.Was.Name}} to {{.Job}}_{{.Column.Name}};
alter table {{.Attempt}} rename index {{.Attempt}}_{{.Was.Name}} to {{.Attempt}}_{{.Column.Name}};
{{end}}{{end}}
{{define "changeType"}}{{if .Was.Index}}{{template "dropIndex" .}}{{end -}}
alter table {{.Job}} rename column {{.Was.Name}} to {{.Spare}};
alter table {{.Job}} add column {{.Column.Name}} {{.Column.SQLType}}; -- from the payload
update {{.Job}} set {{.Column.Name}} = {{template "converted" .}};
alter table {{.Job}} drop column {{.Spare}};
alter table {{.Attempt}} rename column {{.Was.Name}} to {{.Spare}};
alter table {{.Attempt}} add column {{.Column.Name}} {{.Column.SQLType}};
update {{.Attempt}} set {{.Column.Name}} = {{template "converted" .}};
alter table {{.Attempt}} drop column {{.Spare}};
{{if .Was.Index}}{{template "addIndex" .}}{{end}}{{end}}

{{define "addTenants"}}alter table {{.Job}} add column tenant_id text, add column tier text; -- the tier chooses the ladder
alter table {{.Attempt}} add column tenant_id text;
{{end}}
{{define "dropTenants"}}alter table {{.Job}} drop column tenant_id, drop column tier;
alter table {{.Attempt}} drop column tenant_id;
{{end}}

{{define "addTraces"}}alter table {{.Job}} add column traceparent varchar(64) character set ascii collate ascii_bin; -- of the span that enqueued it
{{end}}
{{define "dropTraces"}}alter table {{.Job}} drop column traceparent;
{{end}}

{{define "renameJob"}}alter table {{.WasName}} rename to {{.Name}};
alter table {{.Name}} rename index {{.WasName}}_ready to {{.Name}}_ready;
alter table {{.Name}} rename index {{.WasName}}_running to {{.Name}}_running;
alter table {{.Name}} rename index {{.WasName}}_dead to {{.Name}}_dead;
{{template "renameColumnIndexes" .}}{{end}}
{{define "renameAttempt"}}alter table {{.WasName}} rename to {{.Name}};
{{if .Purge}}alter table {{.Name}} rename index {{.WasName}}_attempted_at to {{.Name}}_attempted_at;
{{end}}{{template "renameColumnIndexes" .}}{{end}}
{{define "renameColumnIndexes"}}{{range .Columns}}{{if .Index}}alter table {{$.Name}} rename index {{$.WasName}}_{{.Name}} to {{$.Name}}_{{.Name}};
{{end}}{{end}}{{end}}
{{define "renameView"}}{{end}}

{{define "addPurge"}}{{template "purgeTable" .}}
{{end}}
{{define "dropPurge"}}drop table {{.WasName}};
{{end}}
{{define "renamePurge"}}alter table {{.WasName}} rename to {{.Name}};
{{end}}
{{define "addPurgeIndex"}}create index {{.Attempt}}_attempted_at on {{.Attempt}} (attempted_at); -- for retention
{{end}}
{{define "dropPurgeIndex"}}drop index {{.Attempt}}_attempted_at on {{.Attempt}};
{{end}}

{{define "converted"}}{{$was := .Spare -}}
{{if eq .Types "integer text" "real text"}}cast({{$was}} as char)
{{- else if eq .Types "boolean text"}}case {{$was}} when 1 then 'true' when 0 then 'false' end
{{- else if eq .Types "timestamp text"}}date_format({{$was}}, '%Y-%m-%dT%H:%i:%s.%fZ')
{{- else if eq .Types "text integer"}}case when {{$was}} regexp '^(0|-?[1-9][0-9]{0,17})$' then cast({{$was}} as signed) end
{{- else if eq .Types "text real"}}case when {{$was}} regexp '^-?[0-9]{1,15}([.][0-9]{1,15})?(e[-+]?[0-9]{1,2})?$' then {{$was}} + 0e0 end
{{- else if eq .Types "text boolean"}}case {{$was}} when 'true' then 1 when 'false' then 0 end
{{- else if eq .Types "text timestamp"}}case when {{$was}} regexp '^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}([.][0-9]{1,9})?Z$' then cast(replace(replace({{$was}}, 'T', ' '), 'Z', '') as datetime(6)) end
{{- else if eq .Types "real integer"}}case when {{$was}} = floor({{$was}}) and abs({{$was}}) < 9e15 then cast({{$was}} as signed) end
{{- else if eq .Types "integer boolean"}}case when {{$was}} in (0, 1) then {{$was}} end
{{- else if eq .Types "boolean integer" "integer real" "boolean real"}}{{$was}}
{{- else}}null{{end}}{{end}}
