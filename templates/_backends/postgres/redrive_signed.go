//retryc:when redrive

package worker

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
)

// Signed says who decides, and why. Both are on record for good, so what says nothing is refused: an operator needs two
// letters or digits, and a reason ten letters, five of them different, beside words such as test, retry, again, fix and please.
type Signed struct{ Operator, Reason string }

// check refuses what says nothing, and answers the texts without white space around them.
func (s Signed) check() (Signed, error) {
	s.Operator, s.Reason = strings.TrimSpace(s.Operator), strings.TrimSpace(s.Reason)
	if n := len(telling(s.Operator)); n < 2 {
		return s, fmt.Errorf("the operator %q does not say who decides: give a name", s.Operator)
	}
	letters := telling(s.Reason)
	different := slices.Compact(slices.Sorted(slices.Values(letters)))
	if len(letters) < 10 || len(different) < 5 {
		return s, fmt.Errorf("the reason %q does not say why: tell in a sentence what was wrong, and what has changed", s.Reason)
	}
	if strings.ContainsRune(s.Operator+s.Reason, 0) {
		return s, fmt.Errorf("the operator or the reason %w", errNUL)
	}
	return s, nil
}

// telling are the letters and digits of the words that say something, in lower case.
func telling(text string) (letters []rune) {
	words := strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsNumber(r) })
	for _, word := range words {
		if !saysNothing[word] {
			letters = append(letters, []rune(word)...)
		}
	}
	return letters
}

var saysNothing = wordsOf("test testing tests retry retries retrying redrive again fix fixed fixing please todo none null nil na reason because ok okay yes asdf qwerty foo bar tbd unknown operator user me someone somebody anonymous nobody")

func wordsOf(list string) map[string]bool {
	all := map[string]bool{}
	for word := range strings.FieldsSeq(list) {
		all[word] = true
	}
	return all
}
