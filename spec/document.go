package spec

import "strconv"

// document reads the values into the document, as far as they were not refused.
func (p *parser) document(root *value) {
	d := p.doc
	d.Version = root.get("version").whole()
	d.Generate = readGenerate(root.get("generate"))
	d.Caps = p.caps(root.get("caps"))
	for _, c := range root.get("error_classes").listed() {
		if c.kind == mapping {
			d.Classes = append(d.Classes, p.class(c))
		}
	}
	d.Unmatched = root.get("unmatched").name()
	d.LaddersPos = root.get("ladders").keys()
	for _, m := range root.get("ladders").each() {
		d.Ladders = append(d.Ladders, p.ladder(m))
	}
	d.DefaultLadder = root.get("default_ladder").name()
	d.Tenants = readTenants(root.get("tenants"))
	d.QueuesPos = root.get("queues").keys()
	for _, m := range root.get("queues").each() {
		d.Queues = append(d.Queues, p.queue(m))
	}
	for _, m := range root.get("webhooks").each() {
		d.Webhooks = append(d.Webhooks, p.webhook(m))
	}
	worker := root.get("worker")
	d.Worker = Worker{Poll: p.duration(worker.get("poll")), Grace: p.duration(worker.get("grace"))}
	d.Observability = root.get("observability").name()
	d.SLO = p.slo(root.get("slo"))
	d.Ledger = p.ledger(root.get("ledger"))
	d.Redrive = p.redrive(root.get("redrive"))
	d.Prices = readPrices(root.get("prices"))
	d.Review = readReview(root.get("review"))
}

func readGenerate(v *value) Generate {
	return Generate{
		Package:          v.get("package").name(),
		Go:               v.get("go").name(),
		TypeScript:       v.get("typescript").name(),
		Alerts:           v.get("alerts").name(),
		MigrationsDir:    v.get("migrations").get("dir").name(),
		MigrationsFormat: v.get("migrations").get("format").name(),
		MigrationsNumber: v.get("migrations").get("number").whole(),
	}
}

func (p *parser) caps(v *value) Caps {
	return Caps{
		Pos:        v.place(),
		Attempts:   v.get("attempts").whole(),
		Throttles:  v.get("throttles").whole(),
		Crashes:    v.get("crashes").whole(),
		Interrupts: v.get("interrupts").whole(),
		Snoozes:    v.get("snoozes").whole(),
		Delay:      p.duration(v.get("delay")),
		RetryAfter: p.duration(v.get("retry_after")),
		Window:     p.duration(v.get("window")),
	}
}

func (p *parser) class(v *value) Class {
	c := Class{
		Name:       v.get("name").name(),
		Outcome:    v.get("outcome").name(),
		RetryAfter: v.get("retry_after").name(),
		Budget:     v.get("budget").name(),
		Ladder:     v.get("ladder").name(),
	}
	for _, w := range v.get("when").listed() {
		if w.is(mapping) && len(w.members) == 1 {
			c.When = append(c.When, p.condition(w))
		}
	}
	return c
}

func (p *parser) condition(v *value) Condition {
	c := Condition{
		Pos:     v.pos,
		Is:      v.get("is").name(),
		As:      v.get("as").name(),
		Payload: v.get("payload").name(),
		Message: p.regexp(v.get("message")),
		Timeout: v.get("timeout").truth(),
		Crash:   v.get("crash").truth(),
		Panic:   v.get("panic").truth(),
	}
	for _, s := range v.get("http").one() {
		if n := digitsOrText(s); n.Set() {
			c.HTTP = append(c.HTTP, n)
		}
	}
	for _, s := range v.get("sqlstate").one() {
		if n := digitsOrText(s); n.Set() {
			c.SQLState = append(c.SQLState, n)
		}
	}
	return c
}

// digitsOrText reads a status or a state, which are numbers to YAML and codes to everyone else.
func digitsOrText(v *value) Name {
	if n := v.whole(); n.Set() {
		return at(v, strconv.Itoa(n.V))
	}
	return v.name()
}

func (p *parser) ladder(m member) Ladder {
	l := Ladder{Name: m.key, Jitter: p.jitter(m.val.get("jitter"))}
	for _, r := range m.val.get("rungs").listed() {
		if d := p.duration(r); d.Set() {
			l.Rungs = append(l.Rungs, d)
		}
	}
	if e := m.val.get("exponential"); e != nil && e.is(mapping) {
		l.Exponential = &Exponential{
			Pos:    e.place(),
			First:  p.duration(e.get("first")),
			Cap:    p.duration(e.get("cap")),
			Factor: e.get("factor").decimal(),
			Rungs:  e.get("rungs").whole(),
		}
	}
	return l
}

func readTenants(v *value) Tenants {
	t := Tenants{Pos: v.place(), ID: v.get("id").name(), Tier: v.get("tier").name()}
	for _, m := range v.get("ladders").each() {
		if ladder := m.val.name(); ladder.Set() {
			t.Ladders = append(t.Ladders, TierLadder{Tier: m.key, Ladder: ladder})
		}
	}
	return t
}

func (p *parser) ledger(v *value) Ledger {
	detail, retention := v.get("error_detail"), v.get("retention")
	l := Ledger{
		Pos:          v.place(),
		Dialect:      v.get("dialect").name(),
		Prefix:       v.get("prefix").name(),
		JobTable:     v.get("tables").get("job").name(),
		AttemptTable: v.get("tables").get("attempt").name(),
		Retention:    Retention{Attempts: p.duration(retention.get("attempts")), Keys: p.duration(retention.get("keys"))},
		ErrorDetail:  ErrorDetail{Max: p.size(detail.get("max"))},
	}
	for _, c := range v.get("columns").listed() {
		if c.kind == mapping {
			l.Columns = append(l.Columns, Column{
				Name: c.get("name").name(), Type: c.get("type").name(), From: c.get("from").name(), Index: c.get("index").truth(),
				RenamedFrom: c.get("renamed_from").name(),
				Retyped:     Retyping{From: c.get("retyped").get("from").name(), Reason: c.get("retyped").get("reason").name()},
			})
		}
	}
	for _, d := range v.get("dropped").listed() {
		if d.kind == mapping {
			l.Dropped = append(l.Dropped, Dropped{Name: d.get("name").name(), Reason: d.get("reason").name()})
		}
	}
	for _, r := range detail.get("redact").listed() {
		redaction := Redaction{Name: r.name()}
		if r.kind == mapping {
			redaction = Redaction{Name: r.get("name").name(), Pattern: p.regexp(r.get("pattern"))}
			if !redaction.Pattern.Set() {
				continue
			}
		}
		if redaction.Name.Set() {
			l.ErrorDetail.Redact = append(l.ErrorDetail.Redact, redaction)
		}
	}
	return l
}
