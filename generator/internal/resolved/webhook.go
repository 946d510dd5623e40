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
	Only      *Only     `json:"only"` // null: each delivery makes a job
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

// Only is the deliveries that make a job: those with one of some texts in one place.
type Only struct {
	From Source   `json:"from"`
	Is   []string `json:"is"`
}

// Mapped is a field of the payload, and where it is in a delivery.
type Mapped struct {
	Name string `json:"name"`
	Source
}

// Source is a header, or a path in the body.
type Source struct {
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
		out.Payload = append(out.Payload, Mapped{m.Field.Name.V, sourceOf(m)})
	}
	if w.Only != nil {
		out.Only = &Only{sourceOf(w.Only.From), w.Only.Is}
	}
	return out
}

func sourceOf(m plan.Mapped) Source {
	switch {
	case m.Header != "":
		return Source{Header: m.Header}
	case len(m.Path) == 0:
		return Source{Path: "$"}
	}
	return Source{Path: strings.Join(m.Path, ".")}
}
