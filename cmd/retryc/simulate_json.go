package main

import (
	"encoding/json"
	"io"

	"github.com/retryc/retryc/generator"
)

// jsonSimulation is the JSON form of simulate. Its keys are a contract: none is ever renamed or left out. Times are ms since the
// beginning of the outage.
type jsonSimulation struct {
	Spec     string         `json:"spec"`
	OK       bool           `json:"ok"` // the exit code is 0
	Queue    string         `json:"queue"`
	Scenario jsonScenario   `json:"scenario"`
	Normal   int            `json:"normal_per_second"` // jobs that arrive in the busiest second
	Jobs     int64          `json:"jobs"`              // that arrived until the end
	Hit      int64          `json:"hit"`               // jobs that failed at least once
	Dead     map[string]int `json:"dead"`              // jobs by the reason of their death
	Share    float64        `json:"dead_share"`        // of the jobs that were hit
	Drained  bool           `json:"drained"`           // else jobs still waited when the simulation was given up
	Drain    int64          `json:"drain_ms"`          // from the end of the outage to that of the last job that it hit
	Half     int64          `json:"drain_half_ms"`     // to that of half of those that ended after the outage
	Most     int64          `json:"drain_99_ms"`       // of 99 of 100
	Peak     jsonMoment     `json:"peak_retries"`      // the most retries in a second
	After    jsonMoment     `json:"peak_retries_after_outage"`
	Busiest  jsonMoment     `json:"peak_attempts_after_outage"` // retries and first attempts
	Waiting  jsonMoment     `json:"peak_waiting"`               // jobs that wait for a retry
	Rungs    []jsonRung     `json:"rungs"`
	Series   jsonSeries     `json:"series"`
	Bounds   []checkedBound `json:"bounds"`
}

type jsonScenario struct {
	Outage     int64     `json:"outage_ms"`
	Rate       string    `json:"rate"`
	Every      int64     `json:"every_ms"`            // 0: jobs arrive one by one
	Capacity   int       `json:"capacity_per_second"` // 0: any number
	Failing    float64   `json:"failing"`
	RetryAfter int64     `json:"retry_after_ms"`
	AskedEnd   bool      `json:"retry_after_end"`
	Tier       string    `json:"tier"`
	Workers    int       `json:"workers"` // 0: as many as are needed
	Takes      int64     `json:"takes_ms"`
	FailsIn    int64     `json:"fails_in_ms"`
	Seed       uint64    `json:"seed"`
	Down       jsonClimb `json:"outage_errors"`
	Overload   jsonClimb `json:"overload_errors"`
}

type jsonClimb struct {
	Class  string `json:"class"`
	Ladder string `json:"ladder"` // empty: the class is permanent
}

type jsonMoment struct {
	Count int   `json:"count"`
	At    int64 `json:"at_ms"`
}

type jsonRung struct {
	Class    string     `json:"class"`
	Rung     int        `json:"rung"`
	Least    int64      `json:"least_ms"`
	Longest  int64      `json:"longest_ms"`
	Attempts int64      `json:"attempts"` // that came after it
	Peak     jsonMoment `json:"peak"`     // the most of them in a second
	InPeak   int        `json:"in_peak"`  // of them, in the second that has the most retries of all rungs
}

type jsonSeries struct {
	Step    int64        `json:"step_ms"`
	Columns []jsonColumn `json:"columns"`
}

type jsonColumn struct {
	At      int64 `json:"at_ms"`
	First   int   `json:"first"` // first attempts
	Retries int   `json:"retries"`
	Busiest int   `json:"busiest"` // attempts of its busiest second
	Failed  int   `json:"failed"`
	Dead    int   `json:"dead"`
	Waiting int   `json:"waiting"` // at its end
}

// seriesColumns is how many columns a series has at most.
const seriesColumns = 240

func writeSimulationJSON(w io.Writer, path string, f *simulateFlags, s *generator.Simulation, bounds []checkedBound) error {
	moment := func(m generator.Moment) jsonMoment { return jsonMoment{m.Count, m.At.Milliseconds()} }
	sc := s.Scenario
	out := jsonSimulation{
		Spec: path, OK: true, Queue: s.Queue,
		Scenario: jsonScenario{
			Outage: sc.Outage.Milliseconds(), Rate: rateText(sc.Rate), Every: sc.Every.Milliseconds(), Capacity: sc.Capacity, Failing: sc.Failing,
			RetryAfter: sc.Asked.Milliseconds(), AskedEnd: sc.AskedEnd, Tier: f.outage.Tier, Workers: f.outage.Workers, Takes: sc.Takes.Milliseconds(), FailsIn: sc.FailsIn.Milliseconds(),
			Seed: sc.Seed, Down: jsonClimb{s.Down.Class, s.Down.Ladder}, Overload: jsonClimb{s.Overload.Class, s.Overload.Ladder},
		},
		Normal: s.Normal(), Jobs: s.Jobs, Hit: s.Hit, Dead: map[string]int{}, Share: s.DeadShare(),
		Drained: s.Complete, Drain: s.Drain.Milliseconds(), Half: s.Half.Milliseconds(), Most: s.Most.Milliseconds(),
		Peak: moment(s.Peak), After: moment(s.PeakAfter), Busiest: moment(s.Busiest), Waiting: moment(s.Waiting),
		Rungs: []jsonRung{}, Bounds: bounds,
	}
	for _, d := range s.Dead {
		out.Dead[d.Reason] = int(d.Jobs)
	}
	for _, r := range s.Rungs {
		out.Rungs = append(out.Rungs, jsonRung{s.ClassOf(r), r.Number, r.Least.Milliseconds(), r.Longest.Milliseconds(), r.Attempts, moment(r.Peak), r.InPeak})
	}
	for _, b := range bounds {
		out.OK = out.OK && !b.Over
	}
	step, columns := s.Columns(s.Length(), seriesColumns)
	out.Series = jsonSeries{Step: step.Milliseconds(), Columns: []jsonColumn{}}
	for _, c := range columns {
		out.Series.Columns = append(out.Series.Columns, jsonColumn{c.At.Milliseconds(), c.First, c.Retries, c.Busiest.First + c.Busiest.Retries, c.Failed, c.Dead, c.Waiting})
	}
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	return enc.Encode(out)
}
