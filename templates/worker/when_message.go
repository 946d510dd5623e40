//retryc:when message

package worker

import "regexp"

// message matches the error's text against a regular expression: the last resort, for errors that have no type.
func message(pattern string) condition {
	re := regexp.MustCompile(pattern)
	return func(err error) bool { return re.MatchString(err.Error()) }
}
