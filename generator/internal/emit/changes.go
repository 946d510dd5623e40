package emit

import (
	"slices"
	"strings"

	"github.com/retryc/retryc/generator/internal/migrate"
	"github.com/retryc/retryc/generator/internal/plan"
)

// changeSteps are the migrations that lead from the tables that are there to those of the plan. Most databases take all
// changes in one transaction.
func changeSteps(p *plan.Plan, old migrate.Schema) ([]step, error) {
	changes := p.Migrations.Changes
	if len(changes) == 0 {
		return nil, nil
	}
	if p.Ledger.Dialect.Online {
		return onlineSteps(p, old, changes)
	}
	s, err := stepOf(p, stretch{old: old, next: p.Schema(), viewOld: old, viewNext: p.Schema(), changes: changes})
	return []step{s}, err
}

// stretch is a part of the changes. The view may be that of all of them.
type stretch struct {
	old, next         migrate.Schema
	viewOld, viewNext migrate.Schema
	keepView          bool
	changes           []migrate.Change
}

func (s stretch) back() stretch {
	b := stretch{old: s.next, next: s.old, viewOld: s.viewNext, viewNext: s.viewOld, keepView: s.keepView}
	for _, c := range slices.Backward(s.changes) {
		b.changes = append(b.changes, c.Inverse())
	}
	return b
}

func stepOf(p *plan.Plan, s stretch) (step, error) {
	made := step{name: stepName(s.changes), alone: p.Ledger.Dialect.Commits, schema: s.next}
	var err error
	if made.up, err = statementsOf(p, s); err != nil {
		return step{}, err
	}
	made.down, err = statementsOf(p, s.back())
	return made, err
}

// aroundData is what stands around the changes of a step.
type aroundData struct {
	Old, New sqlData
	Tables   bool // the job table and the ledger change
	View     bool // it is made anew
	Trigger  bool // that of the ledger is made anew
}

// changeData is what one change is filled in with. Names of tables are those after it.
type changeData struct {
	sqlData
	Column, Was   sqlColumn
	Spare         string // a name for what a column was, which no other has
	Types         string // before and after, as retry.yaml calls them
	Name, WasName string
}

// statementsOf is the SQL of a stretch; "" where it needs none.
func statementsOf(p *plan.Plan, s stretch) (string, error) {
	around := aroundData{Old: dataOf(p, s.old), New: dataOf(p, s.viewNext)}
	around.Old.DeadLetter = s.viewOld.DeadLetter
	var middle strings.Builder
	at, any := s.old, false
	for _, c := range s.changes {
		at = at.Apply(c)
		data := changeDataOf(p, at, c)
		if c.Kind == migrate.Copy || c.Kind == migrate.ChangeType && p.Ledger.Dialect.SameType(c.Was.Type, c.Column.Type) {
			continue
		}
		any = true
		around.Tables = around.Tables || !besideTheRows[c.Kind]
		around.View = around.Tables && !s.keepView
		around.Trigger = around.Trigger || c.Kind == migrate.ChangeType || c.Kind == migrate.RenameAttempt
		text, err := fill(p, string(c.Kind), data)
		if err != nil {
			return "", err
		}
		middle.WriteString(reason(p, c) + text)
	}
	if !any {
		return "", nil
	}
	before, err := fill(p, "before", around)
	if err != nil {
		return "", err
	}
	after, err := fill(p, "after", around)
	return before + middle.String() + after, err
}

// besideTheRows are the changes that leave the columns and names of both tables as they are.
var besideTheRows = map[migrate.Kind]bool{
	migrate.AddIndex: true, migrate.DropIndex: true, migrate.Copy: true,
	migrate.AddPurge: true, migrate.RenamePurge: true, migrate.DropPurge: true, migrate.AddPurgeIndex: true, migrate.DropPurgeIndex: true,
	migrate.AddRedrive: true, migrate.RenameRedrive: true, migrate.DropRedrive: true, migrate.AddRedriveIndex: true, migrate.DropRedriveIndex: true,
}

func changeDataOf(p *plan.Plan, after migrate.Schema, c migrate.Change) changeData {
	spare := c.Was.Name + "_was"
	for _, taken := after.Column(spare); taken; _, taken = after.Column(spare) {
		spare += "_"
	}
	return changeData{
		sqlData: dataOf(p, after), Column: columnOf(p, c.Column), Was: columnOf(p, c.Was), Spare: spare,
		Types: c.Was.Type + " " + c.Column.Type, Name: c.Name, WasName: c.WasName,
	}
}

// reason is why a change that loses something is allowed.
func reason(p *plan.Plan, c migrate.Change) string {
	why := ""
	switch c.Kind {
	case migrate.DropColumn:
		why = p.Ledger.Dropped[c.Column.Name]
	case migrate.DropTenants:
		why = p.Ledger.Dropped["tenant_id"]
	case migrate.DropBrokers:
		why = p.Ledger.Dropped["message_id"]
	case migrate.DropTraces:
		why = p.Ledger.Dropped["traceparent"]
	case migrate.DropPurge:
		why = p.Ledger.Dropped["job_purge"]
	case migrate.DropRedrive:
		why = p.Ledger.Dropped["job_redrive"]
	case migrate.ChangeType:
		for _, l := range p.Ledger.Columns {
			if l.Name.V == c.Column.Name && l.Retyped.From.V == c.Was.Type {
				why = l.Retyped.Reason.V
			}
		}
	}
	if why == "" {
		return ""
	}
	return "-- Why: " + strings.Join(strings.Fields(why), " ") + "\n"
}
