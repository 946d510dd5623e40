//retryc:when message

package worker

// textSample is an error that its text alone tells.
type textSample string

func (s textSample) Error() string { return string(s) }
func (textSample) plain()          {}
