//go:build unix

package jobs

import (
	"database/sql/driver"
	"fmt"
	"os"
	"strconv"
	"strings"
	"sync/atomic"

	"github.com/go-sql-driver/mysql"

	"github.com/retryc/retryc/golden/pausing"
)

// newPauser is the driver of a process that is to stop at one point (PAUSE), or whose connection is cut there (CUT), for
// as many times as TIMES says.
func newPauser() *pausing.Driver {
	text := newStore(nil, statements, mysqlClock).text
	kinds := map[string]string{
		text.claim: "claim", text.finishLedger: "finish", text.expired: "expired", text.company: "company",
		text.renew: "renew", text.enqueue: "enqueue", insertEffect: "effect",
	}
	return &pausing.Driver{
		Driver: mysql.MySQLDriver{},
		Kind: func(query string, args []driver.NamedValue) string {
			switch kind := kinds[query]; {
			case kind == "claim" && args[0].Value == true:
				return "claim alone"
			case kind == "finish" && strings.Contains(fmt.Sprint(args[1].Value), `"reaped":true`):
				return "reap"
			default:
				return kind
			}
		},
		At: func(moment string) error {
			pause(moment)
			times, _ := strconv.Atoi(os.Getenv("TIMES"))
			if moment != os.Getenv("CUT") || cuts.Add(1) > int64(max(times, 1)) {
				return nil
			}
			fmt.Println("cut", moment)
			return mysql.ErrInvalidConn
		},
	}
}

var cuts atomic.Int64 // that have happened
