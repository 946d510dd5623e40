//retryc:when broker webhook

package worker

import (
	"fmt"
	"os"
)

// variable is a setting from the environment.
func variable(name string) (string, error) {
	value := os.Getenv(name)
	if value == "" {
		return "", fmt.Errorf("the environment variable %s is not set", name)
	}
	return value, nil
}
