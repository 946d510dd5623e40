{{/* Up to when a batch reaches: what ended at one moment is all in one batch, so that the next goes on behind it. */}}
{{define "purgeUpTo"}}select coalesce(max(attempted_at), 0) from (
  select attempted_at from {{.Attempt}} indexed by {{.Attempt}}_attempted_at where attempted_at > ?1 and attempted_at < {now} - ?2 order by attempted_at limit ?3){{end}}

{{/* Jobs of the batch that are finished and past their time. One without a key has no row any more. */}}
{{define "purgeOver"}}select job_id from (
  select a.job_id, j.state, (select attempted_at from {{.Attempt}} l where l.job_id = a.job_id order by attempt desc limit 1) ended_at
  from (select distinct job_id from {{.Attempt}} indexed by {{.Attempt}}_attempted_at where attempted_at > ?1 and attempted_at <= ?2) a
  left join {{.Job}} j on j.job_id = a.job_id)
where state is null and ended_at < {now} - ?3 or state = 'done' and ended_at < {now} - ?4{{end}}

{{define "purgeJobs"}}delete from {{.Job}} where state = 'done' and job_id in (select value from json_each(?1)){{end}}

{{define "purgeAttempts"}}delete from {{.Attempt}} where job_id in (select value from json_each(?1)){{end}}

{{define "purgeRecord"}}insert into {{.Purge}} (purged_at, purged_by, attempts_before, keys_before, jobs, attempts)
values ({now}, ?1, {now} - ?2, {now} - ?3, ?4, ?5){{end}}
