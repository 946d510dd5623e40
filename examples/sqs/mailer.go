package main

import (
	"context"
	"errors"
	"fmt"
	"net/textproto"
	"sync"

	"github.com/retryc/retryc/examples/sqs/internal/jobs"
)

// mailer stands in for a mail server, and answers as net/smtp has it.
type mailer struct {
	mu       sync.Mutex
	refusals int             // that are still to come for slow@example.com
	sent     map[string]bool // by Message-ID
}

// send may run more than once for a job. The mail server drops repeats by the Message-ID: job.ID is the same for every attempt
// of a job, and no other's.
func (m *mailer) send(_ context.Context, job *jobs.Job[jobs.StatementMail]) error {
	err := m.deliver(job.Payload.Address, job.ID+"@statements.example.com")
	var refused *textproto.Error
	if errors.As(err, &refused) && refused.Code == 550 { // only the handler knows what that means here
		return fmt.Errorf("%w: %w", jobs.ErrNoMailbox, err)
	}
	return err
}

func (m *mailer) deliver(address, messageID string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	switch {
	case address == "moved@example.com":
		return &textproto.Error{Code: 550, Msg: "no such mailbox: " + address}
	case address == "slow@example.com" && m.refusals > 0:
		m.refusals--
		return &textproto.Error{Code: 421, Msg: "too busy, try again later"}
	}
	m.sent[messageID] = true
	return nil
}
