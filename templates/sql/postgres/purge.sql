{{/* A batch: what ended after $1, in microseconds since 1970, and is at least $2 milliseconds old, for a job without a key, or $3 for one
with a key; $4 attempts, and what ended at the same moment as the last of them, so that the next batch goes on behind it. A
job's row goes in the same statement. None is locked before: that would take the right to change the ledger. Whom another
purge was faster with is not there any more, and not counted. */}}
{{define "purge"}}with reach as materialized (
  select max(attempted_at) as up_to from (
    select attempted_at from {{.Attempt}} where attempted_at > {{template "purgeAfter"}} and attempted_at < {{template "purgeBefore"}} order by attempted_at limit $4::int) batch
), seen as materialized (
  select distinct job_id from {{.Attempt}} where attempted_at > {{template "purgeAfter"}} and attempted_at <= (select up_to from reach)
), ended as (
  select distinct on (job_id) job_id, attempted_at from {{.Attempt}} where job_id = any(array(select job_id from seen)) order by job_id, attempt desc
), kept as (
  select job_id, state from {{.Job}} where job_id = any(array(select job_id from seen))
), over as materialized (
  select e.job_id, k.job_id is not null as keyed from ended e left join kept k on k.job_id = e.job_id
  where k.job_id is null and e.attempted_at < {{template "purgeBefore"}} or k.state = 'done' and e.attempted_at < {{template "purgeKeysBefore"}}
    {{- if .Redrive}}
    or k.state = 'cancelled' and not exists (select from {{.Redrive}}_item i where i.job_id = k.job_id and i.result = 'discarded' and i.at >= {{template "purgeKeysBefore"}}){{end}}
), jobs as (
  delete from {{.Job}} where job_id = any(array(select job_id from over where keyed)) and state {{if .Redrive}}in ('done', 'cancelled'){{else}}= 'done'{{end}}
  returning job_id
), attempts as (
  delete from {{.Attempt}} where job_id = any(array(select job_id from over where not keyed union all select job_id from jobs))
  returning job_id
), counted as (
  select count(distinct job_id) as jobs, count(*) as attempts from attempts
), recorded as (
  insert into {{.Purge}} (purged_at, purged_by, attempts_before, keys_before, jobs, attempts)
  select {now}, current_user, {{template "purgeBefore"}}, {{template "purgeKeysBefore"}}, jobs, attempts from counted where attempts > 0
)
select coalesce((extract(epoch from up_to) * 1000000)::bigint, 0), jobs, attempts from reach, counted{{end}}
{{define "purgeAfter"}}timestamptz 'epoch' + $1::bigint * interval '1 us'{{end}}
{{define "purgeBefore"}}{now} - $2::bigint * interval '1 ms'{{end}}
{{define "purgeKeysBefore"}}{now} - $3::bigint * interval '1 ms'{{end}}
