//go:build unix

package jobs

import (
	"database/sql"
	"database/sql/driver"
	"fmt"

	"github.com/retryc/retryc/golden/pausing"
)

// newPauser is the driver of a process that is to stop at one point.
func newPauser() *pausing.Driver {
	db, err := sql.Open("sqlite", ":memory:")
	if err != nil {
		panic(err)
	}
	text := newStore(db, statements, sqliteClock).text
	kinds := map[string]string{
		text.claim: "claim", text.claimAlone: "claim alone", text.finishLedger: "finish", text.expired: "expired", text.company: "company",
		text.renew: "renew", text.enqueue: "enqueue", insertEffect: "effect",
	}
	return &pausing.Driver{
		Driver: db.Driver(),
		Kind: func(query string, args []driver.NamedValue) string {
			if kinds[query] == "finish" && fmt.Sprint(args[3].Value) == "true" {
				return "reap"
			}
			return kinds[query]
		},
		At: func(moment string) error { pause(moment); return nil },
	}
}
