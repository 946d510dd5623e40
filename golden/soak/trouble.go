//go:build unix

package main

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"syscall"
	"time"
)

// gang is the processes that work, of which one is troubled at a time.
type gang struct {
	options
	stage  *stage
	store  *store
	dir    string
	random *rand.Rand
	count  troubles

	started int
	all     []*worker
}

type troubles struct{ killed, stalled, cutOff, restarted int }

func (t troubles) String() string {
	return fmt.Sprintf("%d processes killed, %d stood still, all connections ended %d times, the server killed %d times", t.killed, t.stalled, t.cutOff, t.restarted)
}

type worker struct {
	cmd   *exec.Cmd
	ended chan error
}

func (g *gang) start() error {
	g.started++
	w := &worker{cmd: exec.Command(os.Args[0], "-dialect", g.dialect, "-database", g.stage.database), ended: make(chan error, 1)}
	w.cmd.Env = append(os.Environ(), fmt.Sprintf("%s=%s", asWorker, filepath.Join(g.dir, fmt.Sprintf("runs-%04d", g.started))))
	w.cmd.Stderr = os.Stderr
	w.cmd.SysProcAttr = endsWithParent()
	if err := w.cmd.Start(); err != nil {
		return err
	}
	go func() { w.ended <- w.cmd.Wait() }()
	g.all = append(g.all, w)
	return nil
}

// trouble starts the processes and troubles them until ctx ends.
func (g *gang) trouble(ctx context.Context) error {
	for range g.workers {
		if err := g.start(); err != nil {
			return err
		}
	}
	var stalls sync.WaitGroup
	defer stalls.Wait()
	lastRestart := time.Now()
	for {
		select {
		case <-time.After(time.Duration(500+g.random.IntN(3000)) * time.Millisecond):
		case <-ctx.Done():
			return nil
		}
		i := g.random.IntN(len(g.all))
		w := g.all[i]
		switch n := g.random.IntN(100); {
		case n < 20 && g.stage.restart != nil && time.Since(lastRestart) > 15*time.Second:
			g.count.restarted++
			lastRestart = time.Now()
			if err := g.stage.restart(); err != nil {
				return err
			}
		case n < 45 && g.store.cutOff != nil:
			g.count.cutOff++
			_ = g.store.cutOff(ctx) // the server may be coming back
		case n < 65:
			g.count.stalled++
			_ = w.cmd.Process.Signal(syscall.SIGSTOP)
			stalls.Go(func() { // for longer than its leases
				time.Sleep(2 * time.Second)
				_ = w.cmd.Process.Signal(syscall.SIGCONT)
			})
		default:
			g.count.killed++
			_ = w.cmd.Process.Kill()
			if err := <-w.ended; err == nil || err.Error() != "signal: killed" {
				return fmt.Errorf("a process ended by itself: %v", err)
			}
			g.all = append(g.all[:i], g.all[i+1:]...)
			if err := g.start(); err != nil {
				return err
			}
		}
	}
}

// stop stops all processes, each of which has to end well.
func (g *gang) stop() (err error) {
	for _, w := range g.all {
		_ = w.cmd.Process.Signal(syscall.SIGTERM)
	}
	for _, w := range g.all {
		err = errors.Join(err, <-w.ended)
	}
	return err
}
