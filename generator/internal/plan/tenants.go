package plan

import (
	"fmt"
	"slices"

	"github.com/retryc/retryc/spec"
)

// tenants resolves whose a job is and which ladder each tier climbs.
func (b *builder) tenants() {
	src := b.doc.Tenants
	if !src.Pos.Valid() {
		return
	}
	t := &Tenants{ID: src.ID.V, Tier: src.Tier.V}
	for _, l := range src.Ladders {
		if found := b.ladder(l.Ladder); found != nil {
			t.Ladders = append(t.Ladders, TierLadder{Tier: l.Tier, Ladder: found})
		}
	}
	b.plan.Tenants = t
}

// bindTenants finds the fields of each payload that say whose the job is.
func (b *builder) bindTenants() {
	src := b.doc.Tenants
	b.bindTenant("tenants.id", src.ID, []Kind{String, Enum, UUID, Int, Int64}, func(q *Queue, f *Field) { q.TenantID = f })
	b.bindTenant("tenants.tier", src.Tier, []Kind{String, Enum}, func(q *Queue, f *Field) { q.Tier = f })
	b.tierValues()
}

func (b *builder) bindTenant(key string, at spec.Name, kinds []Kind, bind func(*Queue, *Field)) {
	if !at.Set() {
		return
	}
	found := false
	for _, q := range b.plan.Queues {
		f := q.field(at.V)
		if f == nil {
			continue
		}
		found = true
		if !slices.Contains(kinds, f.Type.Kind) {
			d := errorAt(b, "RC208", at, "%s cannot be the field %q of the queue %q, which is of type %s", key, at.V, q.Name.V, f.Type.Kind)
			d.Hint, d.Related = fmt.Sprintf("it is one of %s", listed(kinds)), relatedAt(f.Name, "the field is here")
			continue
		}
		bind(q, f)
	}
	if !found && len(b.plan.Queues) > 0 {
		errorAt(b, "RC207", at, "no payload has the field %q that %s names", at.V, key).Hint =
			didYouMean(at.V, b.everyField(), "name a field of a payload, at its top level")
	}
}

// tierValues refuses a tier that no payload can have: where every tier field is an enum, one of them lists it.
func (b *builder) tierValues() {
	var values []string
	for _, q := range b.plan.Queues {
		if q.Tier == nil {
			continue
		}
		if q.Tier.Type.Kind != Enum {
			return
		}
		for _, v := range q.Tier.Type.Values {
			values = append(values, v.Value.V)
		}
	}
	if len(values) == 0 {
		return
	}
	for _, l := range b.doc.Tenants.Ladders {
		if !slices.Contains(values, l.Tier.V) {
			errorAt(b, "RC209", l.Tier, "no payload can have the tier %q", l.Tier.V).Hint =
				didYouMean(l.Tier.V, values, "name a value of the enum of the field "+b.doc.Tenants.Tier.V)
		}
	}
}
