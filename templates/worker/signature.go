//retryc:when webhook

package worker

import (
	"crypto/hmac"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"
)

// signatureScheme is how the sender of a webhook signs what it posts, with HMAC-SHA256.
type signatureScheme interface {
	// key is a secret as the HMAC takes it.
	key(secret string) ([]byte, error)
	// claim reads the signature that a request bears. It proves nothing yet.
	claim(header http.Header, now time.Time) (claim, error)
}

// claim is the signature of a request.
type claim struct {
	before string   // what is signed in front of the body
	macs   [][]byte // one of them has to be right
}

var errForged = errors.New("no signature is that of the body with a secret of ours")

// proven reports in a time that does not depend on where signatures differ whether one of them was made with one of keys.
func (c claim) proven(keys [][]byte, body []byte) error {
	right := false
	for _, key := range keys {
		mac := hmac.New(sha256.New, key)
		_, _ = io.WriteString(mac, c.before)
		_, _ = mac.Write(body)
		sum := mac.Sum(nil)
		for _, m := range c.macs {
			if hmac.Equal(m, sum) {
				right = true
			}
		}
	}
	if !right {
		return errForged
	}
	return nil
}

// soleHeader is the value of a header that a request has once.
func soleHeader(header http.Header, name string) (string, error) {
	switch values := header.Values(name); {
	case len(values) > 1:
		return "", fmt.Errorf("the header %s is there %d times", name, len(values))
	case len(values) == 0 || values[0] == "":
		return "", fmt.Errorf("there is no header %s", name)
	default:
		return values[0], nil
	}
}
