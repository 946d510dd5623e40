package spec

import (
	"strconv"
	"strings"
	"time"
)

func (p *parser) slo(v *value) SLO {
	s := SLO{Pos: v.place(), Objectives: p.objectives(v)}
	for _, m := range v.get("queues").each() {
		s.Queues = append(s.Queues, QueueSLO{m.key, p.objectives(m.val)})
	}
	return s
}

func (p *parser) objectives(v *value) Objectives {
	return Objectives{
		FailureVisibleWithin: p.duration(v.get("failure_visible_within")),
		OldestMessage:        p.duration(v.get("oldest_message")),
		DeadLetterGrowth:     v.get("dead_letter_growth").rate(),
		NewFingerprint:       v.get("new_fingerprint").truth(),
		LastRung:             v.get("last_rung").truth(),
	}
}

// rate reads text such as 5/h, whose form has been checked by the schema.
func (v *value) rate() At[Rate] {
	if !v.is(text) {
		return At[Rate]{}
	}
	jobs, unit, _ := strings.Cut(v.text, "/")
	n, err := strconv.Atoi(jobs)
	per, known := map[string]time.Duration{"h": time.Hour, "d": 24 * time.Hour}[unit]
	if err != nil || !known {
		return At[Rate]{}
	}
	return at(v, Rate{n, per})
}
