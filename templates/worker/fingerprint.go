package worker

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"regexp"
	"strconv"
	"strings"
)

// varying is what differs between two errors of one cause: quoted values, and words with a digit in them, such as
// numbers, ids and addresses.
var varying = regexp.MustCompile("\"[^\"]*\"|`[^`]*`|\\B'[^']*'|[\\pL\\pN_.:-]*\\pN[\\pL\\pN_.:-]*")

// fingerprint is the same for errors that have one cause: it groups dead letters. It is made of the class, the
// status or SQLSTATE, and the first line of the text with what varies masked.
func fingerprint(class string, err error, detail string) string {
	line, _, _ := strings.Cut(detail, "\n")
	sum := sha256.Sum256([]byte(class + "\x00" + codeOf(err) + "\x00" + varying.ReplaceAllString(line, "?")))
	return hex.EncodeToString(sum[:8])
}

func codeOf(err error) string {
	var e interface{ SQLState() string }
	if errors.As(err, &e) {
		return e.SQLState()
	}
	return strconv.Itoa(statusOf(err))
}

// statusOf is the HTTP status that an error in the chain tells by a method StatusCode() int or HTTPStatusCode()
// int; 0 is none.
func statusOf(err error) int {
	var a interface{ StatusCode() int }
	if errors.As(err, &a) {
		return a.StatusCode()
	}
	var b interface{ HTTPStatusCode() int }
	if errors.As(err, &b) {
		return b.HTTPStatusCode()
	}
	return 0
}
