{{- /* Each change is one template, run within one transaction. The view is made anew around them: SQLite drops and renames
no column that one selects. A column that is added comes last in its table: nothing depends on where one stands. */ -}}
{{define "before"}}{{if .View}}drop view {{.Old.DeadLetter}};
{{end}}{{if .Trigger}}drop trigger {{.Old.Attempt}}_append_only;
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
{{define "addIndex"}}create index {{.Job}}_{{.Column.Name}} on {{.Job}} ({{.Column.Name}}) where state = 'dead';
create index {{.Attempt}}_{{.Column.Name}} on {{.Attempt}} ({{.Column.Name}});
{{end}}
{{define "dropIndex"}}drop index {{.Job}}_{{.Column.Name}};
drop index {{.Attempt}}_{{.Column.Name}};
{{end}}
{{define "renameColumn"}}alter table {{.Job}} rename column {{.Was.Name}} to {{.Column.Name}};
alter table {{.Attempt}} rename column {{.Was.Name}} to {{.Column.Name}};
{{if .Was.Index}}drop index {{.Job}}_{{.Was.Name}};
drop index {{.Attempt}}_{{.Was.Name}};
{{template "addIndex" .}}{{end}}{{end}}
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

{{define "addTenants"}}alter table {{.Job}} add column tenant_id text;
alter table {{.Job}} add column tier text; -- chooses the ladder
alter table {{.Attempt}} add column tenant_id text;
{{end}}
{{define "dropTenants"}}alter table {{.Job}} drop column tenant_id;
alter table {{.Job}} drop column tier;
alter table {{.Attempt}} drop column tenant_id;
{{end}}

{{define "addTraces"}}alter table {{.Job}} add column traceparent text; -- of the span that enqueued it
{{end}}
{{define "dropTraces"}}alter table {{.Job}} drop column traceparent;
{{end}}

{{define "renameJob"}}drop index {{.WasName}}_ready;
drop index {{.WasName}}_alone;
drop index {{.WasName}}_running;
drop index {{.WasName}}_dead;
{{range .Columns}}{{if .Index}}drop index {{$.WasName}}_{{.Name}};
{{end}}{{end}}alter table {{.WasName}} rename to {{.Name}};
{{template "jobIndexes" .}}
{{- template "jobColumnIndexes" .}}
{{end}}
{{define "renameAttempt"}}{{range .Columns}}{{if .Index}}drop index {{$.WasName}}_{{.Name}};
{{end}}{{end}}{{if .Purge}}drop index {{.WasName}}_attempted_at;
{{end}}alter table {{.WasName}} rename to {{.Name}};
{{- template "attemptIndexes" .}}
{{end}}
{{define "renameView"}}{{end}}

{{define "addPurge"}}{{template "purgeTable" .}}
{{end}}
{{define "dropPurge"}}drop table {{.WasName}};
{{end}}
{{define "renamePurge"}}alter table {{.WasName}} rename to {{.Name}};
{{end}}
{{define "addPurgeIndex"}}{{template "attemptedAtIndex" .}}
{{end}}
{{define "dropPurgeIndex"}}drop index {{.Attempt}}_attempted_at;
{{end}}

{{define "converted"}}{{$was := .Spare -}}
{{if eq .Types "integer text"}}cast({{$was}} as text)
{{- else if eq .Types "real text"}}format('%!.17g', {{$was}})
{{- else if eq .Types "boolean text"}}case {{$was}} when 1 then 'true' when 0 then 'false' end
{{- else if eq .Types "timestamp text"}}strftime('%Y-%m-%dT%H:%M:%fZ', {{$was}} / 1000.0, 'unixepoch')
{{- else if eq .Types "text integer"}}case when {{$was}} = cast(cast({{$was}} as integer) as text) then cast({{$was}} as integer) end
{{- else if eq .Types "text real"}}case when json_valid({{$was}}) and json_type({{$was}}) in ('integer', 'real') then cast({{$was}} as real) end
{{- else if eq .Types "text boolean"}}case {{$was}} when 'true' then 1 when 'false' then 0 end
{{- else if eq .Types "text timestamp"}}case when {{$was}} like '____-__-__T%' then cast(round(unixepoch({{$was}}, 'subsec') * 1000) as integer) end
{{- else if eq .Types "real integer"}}case when {{$was}} = cast({{$was}} as integer) then cast({{$was}} as integer) end
{{- else if eq .Types "integer real" "boolean real" "timestamp real"}}cast({{$was}} as real)
{{- else}}null{{end}}{{end}}
