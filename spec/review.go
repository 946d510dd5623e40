package spec

import (
	"strconv"
	"strings"
)

func readPrices(v *value) Prices {
	return Prices{
		Pos:           v.place(),
		Currency:      v.get("currency").name(),
		Publish:       v.get("publish").decimal(),
		Request:       v.get("request").decimal(),
		HandlerSecond: v.get("handler_second").decimal(),
		LedgerRow:     v.get("ledger_row").decimal(),
	}
}

func readReview(v *value) Review {
	return Review{
		Pos:         v.place(),
		MaxIncrease: readBounds(v.get("max_increase")),
		MaxDecrease: readBounds(v.get("max_decrease")),
		Forbid:      v.get("forbid").names(),
	}
}

func readBounds(v *value) (bounds []Bound) {
	for _, m := range v.each() {
		if share := m.val.share(); share.Set() {
			bounds = append(bounds, Bound{m.key, share})
		}
	}
	return bounds
}

// share is a percentage as a part of one.
func (v *value) share() At[float64] {
	if !v.is(text) {
		return At[float64]{}
	}
	percent, err := strconv.ParseFloat(strings.TrimSuffix(v.text, "%"), 64)
	if err != nil {
		return At[float64]{}
	}
	return at(v, percent/100)
}
