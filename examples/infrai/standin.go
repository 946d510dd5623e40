package main

import (
	"errors"
	"fmt"
	"net/http"
	"os"
	"strings"

	"github.com/retryc/retryc/examples/infrai/internal/jobs/infraitest"
)

// standIn starts a server in place of Infrai, and puts its address into the environment. end says whether the worker has kept to the contract of the service.
func standIn() (client *http.Client, end func() error, err error) {
	server := infraitest.New(infraitest.Options{Running: true})
	end = func() error {
		server.Close()
		if v := server.Violations(); len(v) > 0 {
			return fmt.Errorf("the contract is broken: %s", strings.Join(v, "; "))
		}
		return nil
	}
	return server.Client(), end, errors.Join(os.Setenv("INFRAI_URL", server.URL), os.Setenv("INFRAI_API_KEY", infraitest.APIKey))
}
