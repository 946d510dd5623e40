package spec

func (p *parser) queue(m member) Queue {
	q := Queue{
		Name:        m.key,
		GoName:      m.val.get("go_name").name(),
		Payload:     readFields(m.val.get("payload")),
		PayloadPos:  m.val.get("payload").keys(),
		Key:         m.val.get("idempotency_key").names(),
		Ladder:      m.val.get("ladder").name(),
		Concurrency: m.val.get("concurrency").whole(),
		Timeout:     p.duration(m.val.get("timeout")),
		Lease:       p.duration(m.val.get("lease")),
		Downstream:  p.downstream(m.val.get("downstream")),
		Backend:     readBackend(m.val.get("backend")),
	}
	q.KeyPos = m.val.get("idempotency_key").place()
	return q
}

func (p *parser) downstream(v *value) Downstream {
	return Downstream{
		Pos:       v.place(),
		Requests:  v.get("requests").whole(),
		Per:       p.duration(v.get("per")),
		Run:       p.duration(v.get("run")),
		Processes: v.get("processes").whole(),
	}
}

func readBackend(v *value) Backend {
	if members := v.each(); len(members) != 1 || !members[0].val.is(mapping) {
		return Backend{}
	}
	broker := v.members[0]
	return Backend{
		Broker:      broker.key,
		QueueURLEnv: broker.val.get("queue_url_env").name(),
		URLEnv:      broker.val.get("url_env").name(),
		KeyEnv:      broker.val.get("key_env").name(),
		BaseURLEnv:  broker.val.get("base_url_env").name(),
		PushEnv:     broker.val.get("push_secret_env").name(),
		Queue:       broker.val.get("queue").name(),
		PayloadIn:   broker.val.get("payload_in").name(),
		NativeDead:  broker.val.get("native_dead_letter").truth(),
	}
}

func readFields(v *value) []Field {
	var out []Field
	for _, m := range v.each() {
		out = append(out, Field{
			Name:     m.key,
			GoName:   m.val.get("go_name").name(),
			Type:     readType(m.val),
			Optional: m.val.get("optional").truth(),
			Default:  m.val.get("default").any(),
		})
	}
	return out
}

// readType reads a type that is a name, or a mapping that has one.
func readType(v *value) Type {
	if v.kind != mapping {
		return Type{Kind: v.name()}
	}
	t := Type{
		Kind:   v.get("type").name(),
		Enum:   v.get("enum").names(),
		Format: v.get("format").name(),
		Fields: readFields(v.get("fields")),
	}
	for _, key := range []string{"items", "values"} {
		if elem := v.get(key); elem != nil && !elem.bad {
			read := readType(elem)
			t.Elem = &read
		}
	}
	return t
}
