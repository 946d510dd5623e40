package main

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"text/template"

	"github.com/retryc/retryc/examples/digest/internal/jobs"
)

// sender renders digests and hands them to the mailer.
type sender struct{ mailer string }

// send may run more than once for a job. The mailer dedupes by the key that it is given, and job.ID is the same for every
// attempt of a job, and no other's.
func (s *sender) send(ctx context.Context, job *jobs.Job[jobs.WeeklyDigest]) error {
	t, err := template.New("digest").Parse(job.Payload.Template)
	if err != nil {
		return fmt.Errorf("%w of %s: %w", jobs.ErrBadTemplate, job.Payload.CustomerID, err)
	}
	var text strings.Builder
	if err := t.Execute(&text, job.Payload); err != nil {
		return fmt.Errorf("%w of %s: %w", jobs.ErrBadTemplate, job.Payload.CustomerID, err)
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, s.mailer, strings.NewReader(text.String()))
	if err != nil {
		return jobs.Permanent(err)
	}
	req.Header.Set("Idempotency-Key", job.ID)
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return err
	}
	defer func() { _ = resp.Body.Close() }()
	if err := jobs.CheckResponse(resp); err != nil {
		return err
	}
	_, err = io.Copy(io.Discard, resp.Body)
	return err
}
