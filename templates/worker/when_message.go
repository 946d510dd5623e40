//retryc:when message

package worker

import "regexp"

// messageMatches matches the error's text against a regular expression: the last resort, for errors that have no type.
func messageMatches(pattern string) condition {
	re := regexp.MustCompile(pattern)
	return func(err error) bool { return re.MatchString(err.Error()) }
}
