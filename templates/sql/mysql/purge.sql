{{/* Up to when a batch reaches, in microseconds since 1970: what ended at one moment is all in one batch, so that the next goes on behind it. */}}
{{define "purgeUpTo"}}select coalesce(timestampdiff(microsecond, {{template "epoch"}}, max(attempted_at)), 0) from (
  select attempted_at from {{.Attempt}} force index ({{.Attempt}}_attempted_at)
  where attempted_at > {{template "epoch"}} + interval ? microsecond and attempted_at < {now} - interval ? microsecond order by attempted_at limit ?) batch{{end}}

{{/* Jobs of the batch that are finished and past their time. One without a key has no row any more. */}}
{{define "purgeOver"}}select a.job_id, j.job_id is not null
from (select distinct job_id from {{.Attempt}} force index ({{.Attempt}}_attempted_at)
  where attempted_at > {{template "epoch"}} + interval ? microsecond and attempted_at <= {{template "epoch"}} + interval ? microsecond) a
left join {{.Job}} j force index (primary) on j.job_id = a.job_id
where (select l.attempted_at from {{.Attempt}} l force index (primary) where l.job_id = a.job_id order by l.attempt desc limit 1) <
  case when j.job_id is null then {now} - interval ? microsecond when j.state = 'done' then {now} - interval ? microsecond end
order by a.job_id{{end}}

{{/* A row that is locked just now is left to the next purge. A key that was purged and has come back since is of a young job. */}}
{{define "purgeKeyed"}}select j.job_id from {{template "jobIDs"}} straight_join {{.Job}} j force index (primary) on j.job_id = i.job_id
where j.state = 'done' and j.created_at < {now} - interval ? microsecond for update skip locked{{end}}

{{/* Nobody but another purge locks rows of the ledger, and it does so in the same order: what it has deleted is not there any more, and not counted. */}}
{{define "purgeLock"}}select distinct a.job_id from {{template "purged" .}} for update{{end}}

{{define "purgeAttempts"}}delete a from {{template "purged" .}}{{end}}

{{define "purgeJobs"}}delete j from {{template "jobIDs"}} straight_join {{.Job}} j force index (primary) on j.job_id = i.job_id{{end}}

{{define "purgeRecord"}}insert into {{.Purge}} (purged_at, purged_by, attempts_before, keys_before, jobs, attempts)
values ({now}, current_user(), {now} - interval ? microsecond, {now} - interval ? microsecond, ?, ?){{end}}

{{define "purged"}}{{template "jobIDs"}} straight_join {{.Attempt}} a force index (primary) on a.job_id = i.job_id{{end}}
{{define "epoch"}}timestamp'1970-01-01 00:00:00'{{end}}
