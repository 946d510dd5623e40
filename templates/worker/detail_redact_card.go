//retryc:when redact_card_number

package worker

import "regexp"

var cardPattern = regexp.MustCompile(`\b\d(?:[ -]?\d){12,18}\b`)

// redactCardNumber replaces card numbers: 13 to 19 digits, grouped or not, whose Luhn check digit is right.
func redactCardNumber(s string) string {
	return cardPattern.ReplaceAllStringFunc(s, func(found string) string {
		sum, double := 0, false
		for i := len(found) - 1; i >= 0; i-- {
			if found[i] < '0' || found[i] > '9' {
				continue
			}
			d := int(found[i] - '0')
			if double {
				d = d*2/10 + d*2%10
			}
			sum, double = sum+d, !double
		}
		if sum%10 != 0 {
			return found
		}
		return redacted
	})
}
