//retryc:when webhook_only

package worker

import (
	"encoding/json"
	"errors"
	"net/http"
	"slices"
)

// errLeftAlone is the end of a delivery that is none of those which make a job.
var errLeftAlone = errors.New("the delivery is of another kind")

func (t *webhookTable) wants(header http.Header, root *jsonValue) error {
	if len(t.onlyIs) == 0 {
		return nil
	}
	raw, err := t.only.value(header, root)
	if err == nil && raw == nil {
		err = misfitf("%s is not there, and says which kind the delivery is of", t.only.place())
	}
	if err != nil {
		return unfit(err)
	}
	var kind string
	if err := json.Unmarshal(raw, &kind); err != nil {
		return unfit(err)
	}
	if !slices.Contains(t.onlyIs, kind) {
		return errLeftAlone
	}
	return nil
}
