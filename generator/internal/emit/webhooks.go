package emit

import (
	"github.com/dave/jennifer/jen"

	"github.com/retryc/retryc/generator/internal/plan"
)

// webhooks makes webhooks_gen.go, where there are any: their handlers and what they look for in a delivery.
func webhooks(p *plan.Plan) ([]File, error) {
	if len(p.Webhooks) == 0 {
		return nil, nil
	}
	return goFile(p, "webhooks_gen.go", func(f *jen.File) {
		for _, w := range p.Webhooks {
			webhookHandler(f, w)
			webhookTable(f, w)
		}
	})
}

// webhookHandler makes:
//
//	// KYCDocumentUploadedWebhook makes the handler of the webhook kyc-document-uploaded: …
//	func KYCDocumentUploadedWebhook(store *Store, write WebhookWrite[MerchantDocThumbnails]) (http.Handler, error) {
//		return makeWebhookHandler(store, &kycDocumentUploadedWebhook, &merchantDocThumbnailsQueue, write)
//	}
func webhookHandler(f *jen.File, w *plan.Webhook) {
	f.Line()
	f.Add(comment(w.GoName + " makes the handler of the webhook " + w.Name.V + ": each delivery is one job of the queue " + w.Queue.Name.V + ", however often it comes with the same " +
		listed(fieldNames(w.Queue.Key), "and") + ". " + secretsInWords(w.Signature.Secrets) + " It answers 200 once the job is committed or was there, 401 where the signature is not right, and 503 where the delivery is to come again. " +
		"What write does commits with the job, or not at all; write may be nil."))
	f.Func().Id(w.GoName).
		Params(jen.Id("store").Op("*").Id("Store"), jen.Id("write").Id("WebhookWrite").Index(jen.Id(w.Queue.GoName))).
		Params(jen.Qual("net/http", "Handler"), jen.Error()).
		Block(jen.Return(jen.Id("makeWebhookHandler").Call(jen.Id("store"), jen.Op("&").Id(w.Var), jen.Op("&").Id(w.Queue.Var), jen.Id("write"))))
}

func secretsInWords(variables []string) string {
	first := "The environment variable " + variables[0] + " must hold the secret of its signatures"
	if more := variables[1:]; len(more) > 0 {
		return first + "; " + listed(more, "and") + " can hold one that is accepted as well."
	}
	return first + "."
}

// webhookTable makes:
//
//	var kycDocumentUploadedWebhook = webhookTable{
//		name:    "kyc-document-uploaded",
//		secrets: []string{"KYC_WEBHOOK_SECRET"},
//		scheme:  hmacScheme{header: "X-Signature"},
//		maxBody: 1048576,
//		fields: []webhookField{
//			{name: "event_id", path: []string{"id"}, takes: textJSON, required: true},
//		},
//	}
func webhookTable(f *jen.File, w *plan.Webhook) {
	fields := make([]jen.Code, len(w.Fields))
	for i, m := range w.Fields {
		fields[i] = webhookField(m)
	}
	rows := []jen.Code{
		keyed("name", jen.Lit(w.Name.V)),
		keyed("secrets", jen.Index().String().Values(literals(w.Signature.Secrets)...)),
		keyed("scheme", signatureScheme(w.Signature)),
		keyed("maxBody", jen.Lit(w.MaxBody)),
	}
	if o := w.Only; o != nil {
		rows = append(rows,
			keyed("only", jen.Id("webhookField").Values(append(placeOf(o.From), keyed("takes", jen.Id("textJSON")))...)),
			keyed("onlyIs", jen.Index().String().Values(literals(o.Is)...)))
	}
	f.Line()
	f.Var().Id(w.Var).Op("=").Id("webhookTable").Add(lines(append(rows, keyed("fields", jen.Index().Id("webhookField").Add(lines(fields...))))...))
}

func signatureScheme(s plan.Signature) jen.Code {
	switch s.Scheme {
	case plan.Stripe:
		return jen.Id("stripeScheme").Values(keyed("tolerance", duration(s.Tolerance.V)))
	case plan.StandardWebhooks:
		return jen.Id("standardScheme").Values(keyed("tolerance", duration(s.Tolerance.V)))
	case plan.GitHub:
		s = plan.Signature{Header: "X-Hub-Signature-256", Prefix: "sha256="}
	}
	parts := []jen.Code{keyed("header", jen.Lit(s.Header))}
	if s.Prefix != "" {
		parts = append(parts, keyed("prefix", jen.Lit(s.Prefix)))
	}
	if s.Base64 {
		parts = append(parts, keyed("base64", jen.True()))
	}
	return jen.Id("hmacScheme").Values(parts...)
}

func webhookField(m plan.Mapped) jen.Code {
	parts := append([]jen.Code{keyed("name", jen.Lit(m.Field.Name.V))}, placeOf(m)...)
	if kind := jsonKind(m.Field.Type); kind != "" && m.Header == "" {
		parts = append(parts, keyed("takes", jen.Id(kind)))
	}
	if m.Field.Required() {
		parts = append(parts, keyed("required", jen.True()))
	}
	return jen.Values(parts...)
}

func placeOf(m plan.Mapped) []jen.Code {
	switch {
	case m.Header != "":
		return []jen.Code{keyed("header", jen.Lit(m.Header))}
	case len(m.Path) > 0:
		return []jen.Code{keyed("path", jen.Index().String().Values(literals(m.Path)...))}
	}
	return nil
}

// jsonKind is the runtime's name for what a value of the type is in JSON; empty where it can be anything.
func jsonKind(t *plan.Type) string {
	switch t.Kind {
	case plan.Int, plan.Int64, plan.Float64:
		return "numberJSON"
	case plan.Bool:
		return "boolJSON"
	case plan.List:
		return "listJSON"
	case plan.Map, plan.Object:
		return "objectJSON"
	case plan.JSON:
		return ""
	}
	return "textJSON"
}

func literals(texts []string) []jen.Code {
	all := make([]jen.Code, len(texts))
	for i, s := range texts {
		all[i] = jen.Lit(s)
	}
	return all
}
