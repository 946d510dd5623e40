//retryc:when webhook_standard

package worker

import (
	"encoding/base64"
	"errors"
	"net/http"
	"strings"
	"time"
)

// standardScheme is that of the Standard Webhooks: the header webhook-signature has one "v1,…" in base64 for each of the
// sender's secrets, over webhook-id, webhook-timestamp and the body with dots between them.
type standardScheme struct{ tolerance time.Duration }

// key decodes a secret. The error does not have it.
func (standardScheme) key(secret string) ([]byte, error) {
	key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(secret, "whsec_"))
	if err != nil || len(key) == 0 {
		return nil, errors.New("is not base64 with whsec_ before it")
	}
	return key, nil
}

func (s standardScheme) claim(header http.Header, now time.Time) (claim, error) {
	var values [3]string
	for i, name := range []string{"Webhook-Id", "Webhook-Timestamp", "Webhook-Signature"} {
		var err error
		if values[i], err = soleHeader(header, name); err != nil {
			return claim{}, err
		}
	}
	id, signed, signatures := values[0], values[1], values[2]
	c := claim{before: id + "." + signed + "."}
	for signature := range strings.SplitSeq(signatures, " ") {
		version, text, _ := strings.Cut(signature, ",")
		if version != "v1" { // such as v1a, with a key pair
			continue
		}
		if mac, err := base64.StdEncoding.DecodeString(text); err == nil { // another one may be right
			c.macs = append(c.macs, mac)
		}
	}
	return c, timely(signed, now, s.tolerance)
}
