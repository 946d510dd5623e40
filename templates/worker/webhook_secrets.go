//retryc:when webhook

package worker

import (
	"fmt"
	"os"
)

// keys are those of the secrets in the environment. The first has to be there; another one is, while it is replaced.
func (t *webhookTable) keys() (keys [][]byte, err error) {
	for i, name := range t.secrets {
		if i > 0 && os.Getenv(name) == "" {
			continue
		}
		secret, err := variable(name)
		if err != nil {
			return nil, err
		}
		key, err := t.scheme.key(secret)
		if err != nil {
			return nil, fmt.Errorf("the secret in the environment variable %s %w", name, err)
		}
		keys = append(keys, key)
	}
	return keys, nil
}
