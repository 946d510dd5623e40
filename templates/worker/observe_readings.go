//retryc:when observed

package worker

import (
	"slices"
	"time"
)

// readingsOf makes values of how the queues stand. A queue that has no jobs has zeros.
func readingsOf(stats []QueueStats, newest map[string]time.Duration) (all []reading) {
	byName := map[string]*QueueStats{}
	var names []string
	add := func(name string) *QueueStats {
		if byName[name] == nil {
			byName[name] = &QueueStats{}
			names = append(names, name)
		}
		return byName[name]
	}
	for _, q := range observedQueues {
		add(q.name)
	}
	for _, q := range stats {
		to := add(observedName(q.Queue))
		to.Due, to.Scheduled, to.Running, to.Overdue = to.Due+q.Due, to.Scheduled+q.Scheduled, to.Running+q.Running, to.Overdue+q.Overdue
		to.OldestDue = max(to.OldestDue, q.OldestDue)
		to.Dead = append(to.Dead, q.Dead...)
		//retryc:if broker_message
		to.Messages += q.Messages
		//retryc:end
	}
	for _, name := range names {
		q := byName[name]
		all = append(all,
			reading{&dueJobs, float64(q.Due), []string{name}},
			reading{&oldestDue, q.OldestDue.Seconds(), []string{name}},
			reading{&scheduledJobs, float64(q.Scheduled), []string{name}},
			reading{&runningJobs, float64(q.Running), []string{name}},
			reading{&overdueJobs, float64(q.Overdue), []string{name}})
		//retryc:if broker_message
		if q.Messages > 0 {
			all = append(all, reading{&brokerMessages, float64(q.Messages), []string{name}})
		}
		//retryc:end
		all = append(all, deadReadings(name, q.Dead)...)
	}
	return append(all, newestReadings(newest)...)
}

func newestReadings(newest map[string]time.Duration) (all []reading) {
	least := map[string]time.Duration{}
	for queue, age := range newest {
		name := observedName(queue)
		if was, there := least[name]; !there || age < was {
			least[name] = age
		}
	}
	for name, age := range least {
		all = append(all, reading{&newestError, age.Seconds(), []string{name}})
	}
	return all
}

func deadReadings(queue string, dead []DeadStats) (all []reading) {
	known := map[string]bool{}
	for _, q := range observedQueues {
		for _, c := range classesOf(q.policy) {
			known[c.name] = true
		}
	}
	byClass := map[string]int{}
	for _, d := range dead {
		class := d.Class
		if !known[class] {
			class = others
		}
		byClass[class] += d.Jobs
	}
	for class, jobs := range byClass {
		all = append(all, reading{&deadJobs, float64(jobs), []string{queue, class}})
	}
	return all
}

// observedName is what a queue is called.
func observedName(queue string) string {
	if slices.ContainsFunc(observedQueues, func(q *queueTable) bool { return q.name == queue }) {
		return queue
	}
	return others
}
