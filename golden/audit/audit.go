// Package audit compares what was enqueued, what handlers wrote down outside the database, the ledger, the jobs and the
// effects, one by one, once every job is done or dead.
package audit

import (
	"bufio"
	"fmt"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"
)

// Evidence is what there is to compare. The tables are job, job_attempt and effect, which has job_id and attempt.
type Evidence struct {
	Query    func(sql string) ([]string, error) // the first column of its rows
	Runs     []string                           // files with lines such as "job attempt begin" and "job attempt end true", the last for success
	Enqueued map[string]bool                    // job ids that somebody was told
	Untold   int                                // jobs at most whose enqueue had no answer
}

type attempt struct {
	job string
	n   int
}

// Finding is what a comparison found.
type Finding struct {
	Jobs, Attempts, Effects int
	Ends                    []string // "class count", with ok for success
	States                  []string // "state count" of the jobs that have a row
	Faults                  []string
}

func (f *Finding) fault(format string, args ...any) {
	f.Faults = append(f.Faults, fmt.Sprintf(format, args...))
}

func (f *Finding) String() string {
	return fmt.Sprintf("%d jobs, %d attempts, %d effects; ends %q; job rows %q; %d faults", f.Jobs, f.Attempts, f.Effects, f.Ends, f.States, len(f.Faults))
}

// Compare fails only if it cannot read.
func Compare(e Evidence) (*Finding, error) {
	f := &Finding{Jobs: len(e.Enqueued)}
	decision, outcome, last, err := f.ledger(e)
	if err != nil {
		return nil, err
	}
	if err := f.jobs(e, decision, last); err != nil {
		return nil, err
	}
	if err := f.runs(e, decision, outcome); err != nil {
		return nil, err
	}
	if err := f.effects(e, outcome); err != nil {
		return nil, err
	}
	if f.Ends, err = e.Query("select coalesce(class, outcome) || ' ' || count(*) from job_attempt group by coalesce(class, outcome)"); err != nil {
		return nil, err
	}
	slices.Sort(f.Ends)
	return f, nil
}

// rows splits what a query has put into one column.
func (e *Evidence) rows(sql string, row func(fields []string)) error {
	all, err := e.Query(sql)
	for _, r := range all {
		row(strings.Fields(r))
	}
	return err
}

func parse(id, n string) attempt {
	i, _ := strconv.Atoi(n) // 0 is no attempt that there can be
	return attempt{id, i}
}

// ledger finds that the attempts of each job are numbered without a gap, and that none follows one that was the last.
func (f *Finding) ledger(e Evidence) (decision, outcome map[attempt]string, last map[string]int, err error) {
	decision, outcome, last = map[attempt]string{}, map[attempt]string{}, map[string]int{}
	err = e.rows("select job_id || ' ' || attempt || ' ' || outcome || ' ' || decision from job_attempt order by job_id, attempt", func(row []string) {
		a := parse(row[0], row[1])
		if a.n != last[a.job]+1 {
			f.fault("%s: attempt %d follows attempt %d", a.job, a.n, last[a.job])
		}
		if before := (attempt{a.job, a.n - 1}); a.n > 1 && decision[before] != "retry" {
			f.fault("%s: attempt %d ran after one that was %s", a.job, a.n, decision[before])
		}
		decision[a], outcome[a], last[a.job] = row[3], row[2], a.n
	})
	f.Attempts = len(decision)
	return decision, outcome, last, err
}

// jobs finds that whatever was enqueued is done or dead, and that nothing else ran.
func (f *Finding) jobs(e Evidence, decision map[attempt]string, last map[string]int) error {
	state, count := map[string]string{}, map[string]int{}
	err := e.rows("select job_id || ' ' || state || ' ' || coalesce(dead_reason, '-') || ' ' || attempt from job", func(row []string) {
		state[row[0]] = row[1]
		count[row[1]]++
		if row[1] == "dead" && row[2] == "-" || strconv.Itoa(last[row[0]]) != row[3] {
			f.fault("job row %q, the ledger ends at %d", row, last[row[0]])
		}
	})
	for id := range e.Enqueued {
		end := decision[attempt{id, last[id]}]
		if end != "done" && end != "dead" || state[id] != "" && state[id] != end {
			f.fault("%s: it was enqueued, its row is %q and its last attempt %q", id, state[id], end)
		}
	}
	untold := 0
	for id, n := range last {
		if e.Enqueued[id] {
			continue
		}
		if untold++; untold > e.Untold {
			f.fault("%s: it ran, and nobody enqueued it", id)
		}
		if end := decision[attempt{id, n}]; end != "done" && end != "dead" {
			f.fault("%s: its last attempt is %q", id, end)
		}
	}
	for _, s := range slices.Sorted(maps.Keys(count)) {
		f.States = append(f.States, fmt.Sprint(s, " ", count[s]))
	}
	return err
}

// runs finds that no attempt ran twice or outside the ledger, and that none succeeded whose handler did not.
func (f *Finding) runs(e Evidence, decision, outcome map[attempt]string) error {
	begun, returned := map[attempt]bool{}, map[attempt]bool{}
	for _, name := range e.Runs {
		file, err := os.Open(name)
		if err != nil {
			return err
		}
		lines := bufio.NewScanner(file)
		for lines.Scan() {
			row := strings.Fields(lines.Text())
			if len(row) < 3 { // cut off by a kill
				continue
			}
			a := parse(row[0], row[1])
			switch {
			case row[2] == "begin" && begun[a]:
				f.fault("%s: attempt %d ran twice", a.job, a.n)
			case row[2] == "begin" && decision[a] == "":
				f.fault("%s: attempt %d ran, and the ledger does not know", a.job, a.n)
			case row[2] == "end" && row[3] == "true":
				returned[a] = true
			}
			begun[a] = true
		}
		if err := lines.Err(); err != nil {
			return err
		}
		if err := file.Close(); err != nil {
			return err
		}
	}
	for a, o := range outcome {
		if o == "ok" && !returned[a] {
			f.fault("%s: attempt %d succeeded, and its handler did not", a.job, a.n)
		}
	}
	return nil
}

// effects finds that each success of the queue paid has its one effect, and that no other attempt has any.
func (f *Finding) effects(e Evidence, outcome map[attempt]string) error {
	effects := map[attempt]bool{}
	err := e.rows("select job_id || ' ' || attempt from effect", func(row []string) {
		a := parse(row[0], row[1])
		if effects[a] || outcome[a] != "ok" {
			f.fault("%s: an effect of attempt %d, which is %q", a.job, a.n, outcome[a])
		}
		effects[a] = true
	})
	if err != nil {
		return err
	}
	f.Effects = len(effects)
	return e.rows("select job_id || ' ' || attempt from job_attempt where outcome = 'ok' and queue = 'paid'", func(row []string) {
		if !effects[parse(row[0], row[1])] {
			f.fault("%s: attempt %s succeeded without its effect", row[0], row[1])
		}
	})
}
