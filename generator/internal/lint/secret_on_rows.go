package lint

import (
	"slices"
	"strings"

	"github.com/retryc/retryc/generator/internal/plan"
	"github.com/retryc/retryc/spec"
	"github.com/retryc/retryc/spec/diag"
)

// secrets are words in the name of a field that should not be copied about.
var secrets = []string{
	"password", "passwd", "passphrase", "secret", "token", "credential", "credentials", "authorization", "bearer", "cookie", "otp", "pin", "jwt",
	"api key", "apikey", "private key", "access key",
	"card number", "cardnumber", "card no", "pan", "cvv", "cvc", "cvv2", "csc", "track data", "ssn", "social security number",
}

// secretOnRows warns of columns and keys whose names say that they are secrets or card numbers: those are on every row of the ledger,
// in indexes, and in the sight of all who may read it.
var secretOnRows = Rule{"RC329", "secret_on_rows", func(p *plan.Plan, list *diag.List) {
	for _, c := range p.Ledger.Columns {
		at := c.From
		if !at.Set() || secretIn(at.V) == "" {
			at = c.Name
		}
		if c.Type == "boolean" || c.Type == "timestamp" { // has_password, password_changed_at
			continue
		}
		warnSecret(list, at, "the column "+c.Name.V, "is copied onto every row of the ledger", "leave the column out, or copy a field that says whose it is or which one, such as the last four digits")
	}
	for _, q := range p.Queues {
		for i, k := range q.Spec.Key {
			if i < len(q.Key) && (q.Key[i].Type.Kind == plan.Bool || q.Key[i].Type.Kind == plan.Time) {
				continue
			}
			warnSecret(list, k, "the key of the queue "+q.Name.V, "stands as text in the row of each job", "make the key of fields that say which event it is")
		}
	}
}}

func warnSecret(list *diag.List, at spec.Name, what, where, hint string) {
	if secret := secretIn(at.V); secret != "" {
		list.Warnf("RC329", at.Pos, at.Width, "%s has %s in its name, and %s", what, secret, where).Hint = hint
	}
}

// secretIn is the secret that a name speaks of; "" where it speaks of none, or of something about one.
func secretIn(name string) string {
	words := plan.Words(name)
	for i, w := range words {
		words[i] = strings.ToLower(w)
	}
	if len(words) > 0 && about[words[len(words)-1]] {
		return ""
	}
	for _, s := range secrets {
		if hasWords(words, s) {
			return s
		}
	}
	return ""
}

// hasWords reports whether the words of a name have those of a phrase, one behind the other.
func hasWords(name []string, phrase string) bool {
	words := strings.Fields(phrase)
	for i := 0; i+len(words) <= len(name); i++ {
		if slices.Equal(name[i:i+len(words)], words) {
			return true
		}
	}
	return false
}

// about are last words of names that are not the secret itself: token_id, card_number_hash.
var about = map[string]bool{
	"id": true, "hash": true, "digest": true, "fingerprint": true, "kind": true, "type": true, "count": true, "version": true, "last4": true,
	"expiry": true, "length": true, "name": true, "status": true, "masked": true,
}
