//retryc:when sqlstate

package worker

// sqlStateSample is an error with an SQLSTATE.
type sqlStateSample string

func (s sqlStateSample) Error() string { return "sqlstate " + string(s) }

// SQLState is how any driver's error tells it.
func (s sqlStateSample) SQLState() string { return string(s) }
