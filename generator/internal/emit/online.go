package emit

import (
	"slices"

	"github.com/retryc/retryc/generator/internal/migrate"
	"github.com/retryc/retryc/generator/internal/plan"
)

// onlineSteps are for a database that works on meanwhile: what the new program needs comes first, each index by itself and
// outside a transaction, and what only an old program needs goes last.
func onlineSteps(p *plan.Plan, old migrate.Schema, changes []migrate.Change) ([]step, error) {
	var expand, indexes, contract []migrate.Change
	for _, c := range changes {
		switch {
		case ofIndex[c.Kind]:
			indexes = append(indexes, c)
		case c.Contracts():
			contract = append(contract, c)
		default:
			expand = append(expand, c)
		}
	}
	var steps []step
	at := old
	inOneTransaction := func(changes []migrate.Change, keepView bool) error {
		if len(changes) == 0 {
			return nil
		}
		s := stretch{old: at, next: applied(at, changes), viewOld: old, viewNext: p.Schema(), keepView: keepView, changes: changes}
		made, err := stepOf(p, s)
		steps, at = append(steps, made), s.next
		return err
	}
	if err := inOneTransaction(expand, false); err != nil {
		return nil, err
	}
	for _, c := range indexes {
		made, err := indexSteps(p, at, c)
		if err != nil {
			return nil, err
		}
		steps, at = append(steps, made...), at.Apply(c)
	}
	seen := slices.ContainsFunc(expand, func(c migrate.Change) bool { return !besideTheRows[c.Kind] }) // the view is as it will be
	if err := inOneTransaction(contract, seen); err != nil {
		return nil, err
	}
	last := &steps[len(steps)-1]
	if len(contract) > 0 {
		last.up = "-- Only programs that were built before need what goes here: apply it once none of them runs.\n" + last.up
	}
	last.schema = p.Schema() // the same, in the order of the spec
	return steps, nil
}

// ofIndex are the changes that make or drop an index of a table that is there.
var ofIndex = map[migrate.Kind]bool{
	migrate.AddIndex: true, migrate.DropIndex: true, migrate.AddPurgeIndex: true, migrate.DropPurgeIndex: true,
	migrate.AddRedriveIndex: true, migrate.DropRedriveIndex: true,
}

func applied(s migrate.Schema, changes []migrate.Change) migrate.Schema {
	for _, c := range changes {
		s = s.Apply(c)
	}
	return s
}

// indexSteps make or drop an index of each table, or that of retention or of redrives: one statement a file, for a tool may run a whole
// file at once.
func indexSteps(p *plan.Plan, before migrate.Schema, c migrate.Change) ([]step, error) {
	data := changeDataOf(p, before, c)
	type index struct{ of, name string }
	indexes := []index{{"Job", before.Job + "_" + c.Column.Name}, {"Attempt", before.Attempt + "_" + c.Column.Name}}
	switch c.Kind {
	case migrate.AddPurgeIndex, migrate.DropPurgeIndex:
		indexes = []index{{"Purge", before.Attempt + "_attempted_at"}}
	case migrate.AddRedriveIndex, migrate.DropRedriveIndex:
		indexes = []index{{"Redrive", before.Job + "_dead_at"}}
	}
	var steps []step
	for _, x := range indexes {
		s := step{name: fileName(verbs[c.Kind] + x.name), alone: true, schema: before}
		texts := make([]string, 2)
		for i, kind := range []string{"add" + x.of + "Index", "drop" + x.of + "Index"} {
			var err error
			if texts[i], err = fill(p, kind, data); err != nil {
				return nil, err
			}
		}
		if c.Kind == migrate.DropIndex || c.Kind == migrate.DropPurgeIndex || c.Kind == migrate.DropRedriveIndex {
			slices.Reverse(texts)
		}
		s.up, s.down = texts[0], texts[1]
		steps = append(steps, s)
	}
	steps[len(steps)-1].schema = before.Apply(c)
	return steps, nil
}
