package worker

import (
	"fmt"
	"slices"
	"time"
)

// rabbitSteps are the lengths of time for which a message can be held back. Each has a queue of its own, whose messages
// go to the work queue when they have been in it for so long. They cannot share one with lengths of their own, as RabbitMQ
// looks at the first message of a queue alone: one of an hour in front keeps back one of a second.
//
// A delay is rounded up to a step. So a message is never early: an early one would have to go round again, each time
// behind all that waits in the work queue. It is late by no more than a second or half of its delay, by a fifth on
// the average; a job whose row is in the table does not wait for it, as the poll finds it first. The steps are the
// delays that people write, so that these are met, and there are no more of them than a queue can have beside it: one
// is made when a delay first needs it. None is ever removed. RabbitMQ could be told to do that (x-expires), but a quorum
// queue that nobody consumes counts as unused however many messages come through, and would be removed with what it holds.
var rabbitSteps = []time.Duration{
	1 * time.Second, 2 * time.Second, 3 * time.Second, 4 * time.Second, 5 * time.Second, 7 * time.Second, 10 * time.Second,
	15 * time.Second, 20 * time.Second, 30 * time.Second, 45 * time.Second,
	1 * time.Minute, 90 * time.Second, 2 * time.Minute, 3 * time.Minute, 4 * time.Minute, 5 * time.Minute, 7 * time.Minute,
	10 * time.Minute, 15 * time.Minute, 20 * time.Minute, 30 * time.Minute, 45 * time.Minute,
	1 * time.Hour, 90 * time.Minute, 2 * time.Hour, 3 * time.Hour, 4 * time.Hour, 6 * time.Hour, 8 * time.Hour, 12 * time.Hour,
	18 * time.Hour, rabbitLongest,
}

// rabbitLongest is longer than most retries wait. RabbitMQ itself would take ten years.
const rabbitLongest = 24 * time.Hour

// rabbitStep is the shortest step that is no shorter than delay.
func rabbitStep(delay time.Duration) (time.Duration, error) {
	at, _ := slices.BinarySearch(rabbitSteps, delay)
	if at == len(rabbitSteps) {
		return 0, fmt.Errorf("RabbitMQ: a message is held back for no more than %s here, and this one is to be for %s", rabbitLongest, delay)
	}
	return rabbitSteps[at], nil
}

// rabbitDelayQueue has the length in its name: a queue cannot be declared again with another one.
func rabbitDelayQueue(queue string, step time.Duration) string {
	return fmt.Sprintf("%s.delay.%d", queue, step.Milliseconds())
}
