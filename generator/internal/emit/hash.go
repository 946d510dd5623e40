package emit

import (
	"crypto/sha256"
	"encoding/hex"
	"go/scanner"
	"go/token"

	"github.com/retryc/retryc/generator/internal/plan"
)

// policyHash is over what the emitted policy says, token by token: any change of it changes the hash, and neither a
// comment nor the layout does. Nothing has to be listed here, so no part of the policy can be forgotten.
func policyHash(p *plan.Plan) (string, error) {
	src, err := unformatted(forAll(p, ""))
	if err != nil {
		return "", err
	}
	src = append(src, queueTables(p, false).Bytes()...)
	var s scanner.Scanner
	fset := token.NewFileSet()
	s.Init(fset.AddFile("", fset.Base(), len(src)), src, nil, 0) // without the comments
	sum := sha256.New()
	for {
		_, tok, text := s.Scan()
		if tok == token.EOF {
			return hex.EncodeToString(sum.Sum(nil)[:6]), nil
		}
		sum.Write([]byte(tok.String() + "\x00" + text + "\x00"))
	}
}
