package spec

func (p *parser) webhook(m member) Webhook {
	return Webhook{
		Name:       m.key,
		Enqueue:    m.val.get("enqueue").name(),
		Signature:  p.signature(m.val.get("signature")),
		Payload:    readMappings(m.val.get("payload")),
		PayloadPos: m.val.get("payload").keys(),
		Only:       readSource(m.val.get("only").get("from")),
		OnlyIs:     m.val.get("only").get("is").names(),
		MaxBody:    p.size(m.val.get("max_body")),
	}
}

func (p *parser) signature(v *value) Signature {
	if members := v.each(); len(members) != 1 || !members[0].val.is(mapping) {
		return Signature{}
	}
	scheme := v.members[0]
	s := Signature{
		Scheme:    scheme.key,
		Header:    scheme.val.get("header").name(),
		Encoding:  scheme.val.get("encoding").name(),
		Prefix:    scheme.val.get("prefix").name(),
		Tolerance: p.duration(scheme.val.get("tolerance")),
	}
	for _, secret := range scheme.val.get("secret_env").one() {
		if n := secret.name(); n.Set() {
			s.Secrets = append(s.Secrets, n)
		}
	}
	return s
}

func readMappings(v *value) (all []Mapping) {
	for _, m := range v.each() {
		mapped := readSource(m.val)
		mapped.Field = m.key
		if mapped.Header.Set() || mapped.Path.Set() {
			all = append(all, mapped)
		}
	}
	return all
}

// readSource reads a place in the body, or a header.
func readSource(v *value) Mapping {
	if v.is(mapping) {
		return Mapping{Header: v.get("header").name()}
	}
	return Mapping{Path: v.name()}
}
