package resolved

import (
	"strings"

	"github.com/retryc/retryc/generator/internal/plan"
)

// Webhook is one webhook.
type Webhook struct {
	Name      string    `json:"name"`
	GoName    string    `json:"go_name"`
	Enqueue   string    `json:"enqueue"`
	Signature Signature `json:"signature"`
	Payload   []Mapped  `json:"payload"`
	MaxBytes  int       `json:"max_body_bytes"`
}

// Signature is how the sender signs.
type Signature struct {
	Scheme    string    `json:"scheme"`
	SecretEnv []string  `json:"secret_env"` // the one that must be set first
	Header    string    `json:"header"`     // of hmac_sha256, and so are the next two
	Encoding  string    `json:"encoding"`   // hex or base64
	Prefix    string    `json:"prefix"`
	Tolerance *Duration `json:"tolerance"` // null: the signature has no time in it
}

// Mapped is a field of the payload, and the header or the path in the body that it is taken from.
type Mapped struct {
	Name   string `json:"name"`
	Header string `json:"header,omitempty"`
	Path   string `json:"path,omitempty"` // $ is the whole body
}

func webhookOf(w *plan.Webhook) Webhook {
	out := Webhook{
		Name: w.Name.V, GoName: w.GoName, Enqueue: w.Queue.Name.V, Payload: []Mapped{}, MaxBytes: w.MaxBody,
		Signature: Signature{
			Scheme: string(w.Signature.Scheme), SecretEnv: w.Signature.Secrets, Header: w.Signature.Header, Prefix: w.Signature.Prefix,
			Tolerance: durationOrNil(w.Signature.Tolerance.V),
		},
	}
	if w.Signature.Scheme == plan.HMAC {
		out.Signature.Encoding = "hex"
		if w.Signature.Base64 {
			out.Signature.Encoding = "base64"
		}
	}
	for _, m := range w.Fields {
		mapped := Mapped{Name: m.Field.Name.V, Header: m.Header}
		switch {
		case m.Header != "":
		case len(m.Path) == 0:
			mapped.Path = "$"
		default:
			mapped.Path = strings.Join(m.Path, ".")
		}
		out.Payload = append(out.Payload, mapped)
	}
	return out
}
