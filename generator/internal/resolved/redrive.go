package resolved

import "github.com/retryc/retryc/generator/internal/plan"

// Redrive is how dead jobs are sent back.
type Redrive struct {
	Batch          int      `json:"batch"`
	Every          Duration `json:"every"`
	Canary         int      `json:"canary"`
	StopWhen       StopWhen `json:"stop_when"`
	MaxGenerations int      `json:"max_generations"`
	Table          string   `json:"table"` // with the prefix
}

// StopWhen is what stops a redrive.
type StopWhen struct {
	SameError  bool     `json:"same_error"`
	ErrorShare float64  `json:"error_share"` // a part of one
	QueueAge   Duration `json:"queue_age"`
}

func redriveOf(r *plan.Redrive) *Redrive {
	if r == nil {
		return nil
	}
	return &Redrive{
		Batch: r.Batch, Every: Duration{r.Every}, Canary: r.Canary, MaxGenerations: r.MaxGenerations, Table: r.Table,
		StopWhen: StopWhen{SameError: r.SameError, ErrorShare: r.ErrorShare, QueueAge: Duration{r.QueueAge}},
	}
}
