//retryc:when webhook_stripe webhook_standard

package worker

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// timely refuses a signature whose time, in seconds since 1970, is further from now than tolerance: an old one may be
// somebody's who has seen it, and one of the future would be good for long.
func timely(text string, now time.Time, tolerance time.Duration) error {
	seconds, err := strconv.ParseInt(text, 10, 64)
	if err != nil || len(text) > 12 || strings.Trim(text, "0123456789") != "" {
		return errors.New("the time of the signature is not a number of seconds")
	}
	switch age := now.Sub(time.Unix(seconds, 0)); {
	case age > tolerance:
		return fmt.Errorf("it was signed %s ago, and %s are allowed", age.Round(time.Second), tolerance)
	case -age > tolerance:
		return fmt.Errorf("it was signed %s ahead of this machine's clock, and %s are allowed", (-age).Round(time.Second), tolerance)
	}
	return nil
}
