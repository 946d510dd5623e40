//retryc:when webhook

package worker

// unstorable says that a row was refused for a text that its column cannot hold. There is none.
func unstorable(error) bool { return false }
