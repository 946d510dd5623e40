package emit

import (
	"fmt"
	"time"

	"github.com/retryc/retryc/generator/internal/plan"
	"github.com/retryc/retryc/spec"
)

// recently is how long an alert goes on about one event.
const recently = 15 * time.Minute

// rules are the alerts of the plan: one for each value of each objective, and one for the queues not being seen at all.
func rules(p *plan.Plan) []rule {
	var all []rule
	add := func(r rule, queues []*plan.Queue) {
		r.queue = queues[0].Name.V
		all = append(all, r)
	}
	sharing(p, func(o plan.Objectives) (time.Duration, bool) {
		return o.FailureVisibleWithin.V, o.FailureVisibleWithin.Set()
	},
		func(d time.Duration, queues []*plan.Queue) { add(failing(p, d, queues), queues) })
	sharing(p, func(o plan.Objectives) (time.Duration, bool) { return o.OldestMessage.V, o.OldestMessage.Set() },
		func(d time.Duration, queues []*plan.Queue) {
			add(waiting(d, queues), queues)
			add(abandoned(d, queues), queues)
		})
	sharing(p, func(o plan.Objectives) (spec.Rate, bool) { return o.DeadLetterGrowth.V, o.DeadLetterGrowth.Set() },
		func(rate spec.Rate, queues []*plan.Queue) { add(dying(p, rate, queues), queues) })
	sharing(p, func(o plan.Objectives) (bool, bool) { return true, o.NewFingerprint },
		func(_ bool, queues []*plan.Queue) { add(newError(p, queues), queues) })
	sharing(p, func(o plan.Objectives) (bool, bool) { return true, o.LastRung },
		func(_ bool, queues []*plan.Queue) { add(lastAttempt(p, queues), queues) })
	add(unseen(p), p.Queues)
	return all
}

// failing is true while attempts have failed and none has succeeded for two thirds of the time; for the last third nothing
// is said, so that a job whose retry helps is no alert. One failure is enough: the next attempt may be hours away.
func failing(p *plan.Plan, d time.Duration, queues []*plan.Queue) rule {
	window, wait := 2*d/3, d-2*d/3
	helps := max(0, wait-time.Minute)
	of := queuesLabel(queues)
	count := func(outcome string) string {
		return fmt.Sprintf("sum by (queue) (increase(retryc_attempts_total{%s, %s}[%s])) > 0", of, outcome, promDuration(window.Truncate(time.Millisecond)))
	}
	return rule{
		name: "RetrycAttemptsFail", expr: []string{count(`outcome!="ok", class!~"snoozed|interrupted"`), "unless " + count(`outcome="ok"`)}, wait: wait.Truncate(time.Millisecond),
		severity: "page", objective: "failure_visible_within: " + plan.Duration(d),
		summary:     "Attempts of the queue {queue} fail, and none succeeds",
		description: fmt.Sprintf("No attempt of {queue} has succeeded for %s, and some have failed. Look at its newest rows of %s: class, error_detail and fingerprint say why. What they have in common is what is down.", plan.Duration(d), p.Ledger.AttemptTable),
		tests: []ruleTest{{
			interval: 15 * time.Second,
			series: []testSeries{
				{`retryc_attempts_total{queue="{queue}", outcome="transient", class="unmatched"}`, fmt.Sprintf("0+1x%d", samples(10*time.Minute+d+3*time.Minute, 15*time.Second))},
				{`retryc_attempts_total{queue="{queue}", outcome="ok"}`, fmt.Sprintf("0+1x40 40x%d", samples(d+3*time.Minute, 15*time.Second))},
			},
			quiet: []time.Duration{10 * time.Minute}, fires: []time.Duration{10*time.Minute + d + 2*time.Minute},
		}, { // a retry that helps
			interval: 15 * time.Second,
			series: []testSeries{
				{`retryc_attempts_total{queue="{queue}", outcome="transient", class="unmatched"}`, fmt.Sprintf("0x40 1x%d", samples(d, 15*time.Second))},
				{`retryc_attempts_total{queue="{queue}", outcome="ok"}`, fmt.Sprintf("0x%d 1x%d", 40+int(helps/(15*time.Second)), samples(d, 15*time.Second))},
			},
			quiet: []time.Duration{10*time.Minute + helps.Truncate(time.Minute), 10*time.Minute + wait + time.Minute, 10*time.Minute + d},
		}},
	}
}

func waiting(d time.Duration, queues []*plan.Queue) rule {
	limit := d.Seconds()
	return rule{
		name: "RetrycJobsWait", expr: []string{fmt.Sprintf("max by (queue) (retryc_oldest_due_seconds{%s}) > %v", queuesLabel(queues), limit)},
		severity: "page", objective: "oldest_message: " + plan.Duration(d),
		summary:     "A job of the queue {queue} has been waiting for a worker for too long",
		description: fmt.Sprintf("A job of {queue} could have run %s ago. Look at retryc_due_jobs and retryc_running_jobs: where few run, workers are missing or stand still; where as many run as concurrency allows, they are slow (retryc_handler_seconds), or there are too few of them.", plan.Duration(d)),
		tests: []ruleTest{{
			interval: time.Minute, series: []testSeries{{`retryc_oldest_due_seconds{queue="{queue}"}`, fmt.Sprintf("%vx5 %vx5", limit, limit+1)}},
			quiet: []time.Duration{3 * time.Minute}, fires: []time.Duration{8 * time.Minute},
		}},
	}
}

func abandoned(d time.Duration, queues []*plan.Queue) rule {
	return rule{
		name: "RetrycJobsAbandoned", expr: []string{fmt.Sprintf("max by (queue) (retryc_overdue_jobs{%s}) > 0", queuesLabel(queues))}, wait: d,
		severity: "page", objective: "oldest_message: " + plan.Duration(d),
		summary:     "Jobs of the queue {queue} are left by a process that died, and nobody takes them up",
		description: "The lease of a running job of {queue} is over, and no process has taken the job up. Look whether a worker of that queue runs at all: another one does so within a lease.",
		tests: []ruleTest{{
			interval: time.Minute, series: []testSeries{{`retryc_overdue_jobs{queue="{queue}"}`, fmt.Sprintf("1x%d", samples(d+3*time.Minute, time.Minute))}},
			quiet: []time.Duration{0}, fires: []time.Duration{d + 2*time.Minute},
		}},
	}
}

// dying rounds: what Prometheus calls an increase is an estimate.
func dying(p *plan.Plan, rate spec.Rate, queues []*plan.Queue) rule {
	unit, in := "1h", "an hour"
	if rate.Per > time.Hour {
		unit, in = "1d", "a day"
	}
	return rule{
		name: "RetrycDeadLettersGrow", expr: []string{fmt.Sprintf("round(sum by (queue) (increase(retryc_dead_letters_total{%s}[%s]))) > %d", queuesLabel(queues), unit, rate.Jobs)},
		severity: "page", objective: fmt.Sprintf("dead_letter_growth: %d/%s", rate.Jobs, unit[1:]),
		summary:     "Too many jobs of the queue {queue} die",
		description: fmt.Sprintf("More than %d jobs of {queue} have died within %s. Look at the view %s, by last_class and fingerprint: one cause for most of them is a fault to repair, and then to send them back.", rate.Jobs, in, p.Ledger.DeadLetterView),
		tests: []ruleTest{{
			interval: time.Minute, series: []testSeries{{`retryc_dead_letters_total{queue="{queue}", class="unmatched"}`, fmt.Sprintf("0x9 %dx10 %dx10", rate.Jobs/2, 2*rate.Jobs+1)}},
			quiet: []time.Duration{15 * time.Minute}, fires: []time.Duration{25 * time.Minute},
		}},
	}
}

func newError(p *plan.Plan, queues []*plan.Queue) rule {
	return rule{
		name: "RetrycNewError", expr: []string{fmt.Sprintf("min by (queue) (retryc_newest_fingerprint_age_seconds{%s}) < %v", queuesLabel(queues), recently.Seconds())},
		severity: "ticket", objective: "new_fingerprint",
		summary:     "A job of the queue {queue} died of an error that is new",
		description: fmt.Sprintf("A job of {queue} died of an error of which no dead job of it had died. Look at the fingerprint that is newest in the view %s: with its class and its text, a rule of error_classes may be missing.", p.Ledger.DeadLetterView),
		tests: []ruleTest{{
			interval: time.Minute, series: []testSeries{{`retryc_newest_fingerprint_age_seconds{queue="{queue}"}`, "3600x5 5x5"}},
			quiet: []time.Duration{3 * time.Minute}, fires: []time.Duration{8 * time.Minute},
		}},
	}
}

func lastAttempt(p *plan.Plan, queues []*plan.Queue) rule {
	return rule{
		name: "RetrycLastAttempt", expr: []string{fmt.Sprintf("sum by (queue) (increase(retryc_last_rungs_total{%s}[%s])) > 0", queuesLabel(queues), plan.Duration(recently))},
		severity: "ticket", objective: "last_rung",
		summary:     "A job of the queue {queue} waits for its last attempt",
		description: fmt.Sprintf("A job of {queue} has climbed to the last rung of its ladder: if it fails once more, it is dead. Look at last_class and last_error of the scheduled jobs in %s that have been tried most: there is time until their next_run_at to repair the cause.", p.Ledger.JobTable),
		tests: []ruleTest{{
			interval: time.Minute, series: []testSeries{{`retryc_last_rungs_total{queue="{queue}"}`, "0x10 1x40"}},
			quiet: []time.Duration{5 * time.Minute, 40 * time.Minute}, fires: []time.Duration{13 * time.Minute},
		}},
	}
}

// unseen is what makes the silence of the others worth something. A reading that is too old is given out no more.
func unseen(p *plan.Plan) rule {
	return rule{
		name: "RetrycUnseen", expr: []string{fmt.Sprintf(`absent(retryc_due_jobs{queue="%s"})`, p.Queues[0].Name.V)}, wait: 5 * time.Minute,
		severity: "page", objective: "seen",
		summary:     "Nobody says how the queue {queue} stands",
		description: "Prometheus has no retryc_due_jobs of {queue}, so that no other of these alerts can come. Look whether a program that calls Observe runs and is scraped, and whether it reaches the database: retryc_reading_age_seconds says when it last did.",
		tests: []ruleTest{
			{interval: time.Minute, quiet: []time.Duration{3 * time.Minute}, fires: []time.Duration{7 * time.Minute}},
			{interval: time.Minute, series: []testSeries{{`retryc_due_jobs{queue="{queue}"}`, "0x10"}}, quiet: []time.Duration{9 * time.Minute}},
		},
	}
}
