//retryc:when webhook_hmac

package worker

import (
	"encoding/base64"
	"encoding/hex"
	"errors"
	"net/http"
	"strings"
	"time"
)

// hmacScheme is a header with the HMAC of the body. It does not tell when that was made.
type hmacScheme struct {
	header string
	prefix string // in front of the HMAC
	base64 bool   // else it is in hexadecimal
}

func (hmacScheme) key(secret string) ([]byte, error) { return textKey(secret) }

func (s hmacScheme) claim(header http.Header, _ time.Time) (claim, error) {
	text, err := soleHeader(header, s.header)
	if err != nil {
		return claim{}, err
	}
	text, prefixed := strings.CutPrefix(text, s.prefix)
	if !prefixed {
		return claim{}, errors.New("the signature does not begin with " + s.prefix)
	}
	decode := hex.DecodeString
	if s.base64 {
		decode = base64.StdEncoding.DecodeString
	}
	mac, err := decode(text)
	return claim{macs: [][]byte{mac}}, err
}
