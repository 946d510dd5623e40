//retryc:when webhook_hmac webhook_stripe

package worker

import (
	"errors"
	"strings"
)

// textKey takes a secret as it stands. What was pasted with a space or a line end would fit no signature.
func textKey(secret string) ([]byte, error) {
	if strings.TrimSpace(secret) != secret {
		return nil, errors.New("begins or ends with white space")
	}
	return []byte(secret), nil
}
