package main

import "context"

// queue is one queue of an emitted package. The types of its store, payload and functions are its own; what the benchmark
// needs of them is alike.
type queue[S, W any] struct {
	key    string
	add    func(ctx context.Context, store S, t thumbnail) error
	fill   func(ctx context.Context, store S, all []thumbnail) error
	worker func(handle func(jobID, eventID string) error) W
}

func queueOf[S, W, R, J, P any](
	key string,
	add func(context.Context, S, P) (R, error),
	fill func(context.Context, S, []P) ([]R, error),
	worker func(func(context.Context, J) error) W,
	convert func(thumbnail) P,
	read func(J) (jobID, eventID string),
) queue[S, W] {
	return queue[S, W]{
		key: key,
		add: func(ctx context.Context, store S, t thumbnail) error {
			_, err := add(ctx, store, convert(t))
			return err
		},
		fill: func(ctx context.Context, store S, all []thumbnail) error {
			payloads := make([]P, len(all))
			for i, t := range all {
				payloads[i] = convert(t)
			}
			_, err := fill(ctx, store, payloads)
			return err
		},
		worker: func(handle func(jobID, eventID string) error) W {
			return worker(func(_ context.Context, job J) error { return handle(read(job)) })
		},
	}
}

func ptr[T any](v T) *T { return &v }
