package spec

func (p *parser) redrive(v *value) Redrive {
	stop := v.get("stop_when")
	return Redrive{
		Pos:            v.keys(),
		Batch:          v.get("batch").whole(),
		Every:          p.duration(v.get("every")),
		Canary:         v.get("canary").whole(),
		SameError:      stop.get("same_error").truth(),
		ErrorShare:     stop.get("error_share").share(),
		QueueAge:       p.duration(stop.get("queue_age")),
		MaxGenerations: v.get("max_generations").whole(),
	}
}
