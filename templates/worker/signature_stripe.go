//retryc:when webhook_stripe

package worker

import (
	"encoding/hex"
	"errors"
	"net/http"
	"strings"
	"time"
)

// stripeScheme is the header Stripe-Signature: t=1492774577,v1=5257a8…,v1=…. There is one v1 for each of the sender's secrets,
// over the time, a dot and the body.
type stripeScheme struct{ tolerance time.Duration }

func (stripeScheme) key(secret string) ([]byte, error) { return textKey(secret) }

func (s stripeScheme) claim(header http.Header, now time.Time) (claim, error) {
	text, err := soleHeader(header, "Stripe-Signature")
	if err != nil {
		return claim{}, err
	}
	var c claim
	signed := ""
	for part := range strings.SplitSeq(text, ",") {
		name, value, _ := strings.Cut(strings.TrimSpace(part), "=")
		switch name {
		case "t":
			if signed != "" {
				return claim{}, errors.New("the signature has two times")
			}
			signed = value
		case "v1":
			if mac, err := hex.DecodeString(value); err == nil { // another one may be right
				c.macs = append(c.macs, mac)
			}
		}
	}
	c.before = signed + "."
	return c, timely(signed, now, s.tolerance)
}
