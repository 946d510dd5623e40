package plan

import (
	"slices"

	"github.com/retryc/retryc/spec"
)

func pricesOf(src spec.Prices) *Prices {
	if !src.Pos.Valid() {
		return nil
	}
	return &Prices{
		Currency: src.Currency.V,
		Publish:  src.Publish.V, Request: src.Request.V, HandlerSecond: src.HandlerSecond.V, LedgerRow: src.LedgerRow.V,
	}
}

func reviewOf(src spec.Review) Review {
	r := Review{MaxIncrease: bounds(src.MaxIncrease), MaxDecrease: bounds(src.MaxDecrease)}
	for _, f := range src.Forbid {
		if !slices.Contains(r.Forbid, f.V) {
			r.Forbid = append(r.Forbid, f.V)
		}
	}
	return r
}

func bounds(src []spec.Bound) map[string]float64 {
	all := map[string]float64{}
	for _, b := range src {
		all[b.Figure.V] = b.Share.V
	}
	return all
}
