package main

import (
	"bytes"
	"testing"
)

func TestPaymentThatIsDeliveredTwiceIsPaidOnce(t *testing.T) {
	const want = `a payment                                  200
the same once more: the answer was lost    200
a payment that somebody has made up        401 not authorized
one that somebody recorded an hour ago     401 not authorized
one of another kind                        200
one without its order                      400 data.object.metadata.order is not there, and order is made of it
receipt for order o_1001: 49.90 eur, in attempt 2
paid: 49.90, jobs: 1, attempts: 2
`
	var out bytes.Buffer
	if err := run(t.Context(), &out); err != nil {
		t.Fatal(err)
	}
	if out.String() != want {
		t.Errorf("it prints\n%s\nwant\n%s", out.String(), want)
	}
}
