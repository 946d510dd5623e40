//retryc:when redrive

package worker

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
)

// amend sends one dead job back with another payload. Whatever is wrong with that, nothing is written.
func amend[P payload](ctx context.Context, store *Store, q *queueTable, jobID string, p P, by Signed) (Redrive, error) {
	id, err := amendIn(ctx, store, q, jobID, p, by)
	if err != nil {
		return Redrive{}, fmt.Errorf("amend job %s: %w", jobID, err)
	}
	return store.Redrive(ctx, id)
}

func amendIn[P payload](ctx context.Context, store *Store, q *queueTable, jobID string, p P, by Signed) (string, error) {
	by, err := by.check()
	if err != nil {
		return "", err
	}
	if !isUUID(jobID) {
		return "", ErrNoJob
	}
	j, err := newJobOf(q, p)
	if err != nil {
		return "", err
	}
	c, err := columnsOf([]newJob{j})
	if err != nil {
		return "", err
	}
	id := randomID()
	var sent sentJob
	err = write(ctx, store.pool, func(tx Tx) error {
		there := false
		var state, key string
		var was []byte
		err := each(ctx, tx, redriving.amendable, []any{jobID}, func(rows dbRows) error {
			there = true
			return rows.Scan(&sent.queue, &state, &sent.generation, &sent.attempt, &key, &was)
		})
		switch {
		case err != nil:
			return err
		case !there:
			return ErrNoJob
		case sent.queue != q.name:
			return fmt.Errorf("it is of the queue %s, and not of %s", sent.queue, q.name)
		case state != "dead":
			return fmt.Errorf("it is not dead, but %s", state)
		case sent.generation >= redrive.maxGenerations:
			return fmt.Errorf("it has run through its budgets %d times, the most that there is", sent.generation)
		case !sameKey(key, j.Key, was, p):
			return fmt.Errorf("the payload has the key %s, and the job %s: it would be another job", j.Key, key)
		}
		sum := sha256.Sum256([]byte(fmt.Sprintf("%s %d", jobID, sent.generation)))
		_, err = tx.Exec(ctx, store.timed(redriving.amend), id, jobID, c.payloads[0], j.PayloadSHA256, j.SchemaHash, j.Tenant, j.Tier, c.columns[0], hex.EncodeToString(sum[:]), by.Operator, by.Reason)
		return err
	})
	if err != nil {
		return "", err
	}
	sent.jobID = jobID
	sent.generation++
	store.tellOf([]sentJob{sent})
	return id, nil
}

// sameKey reports whether a payload has the key of the job. Where the job was enqueued with a key of its own, that of the payload
// before has to stay as it was.
func sameKey[P payload](jobKey, newKey string, was []byte, _ P) bool {
	if newKey == "" || newKey == jobKey {
		return true
	}
	var before P
	if json.Unmarshal(was, &before) != nil {
		return false
	}
	key, err := keyText(before.facts().key)
	return err == nil && key == newKey
}
