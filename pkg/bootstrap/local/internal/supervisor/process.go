// SPDX-License-Identifier: Apache-2.0

package supervisor

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"sync"
	"time"

	"github.com/clusterctl/clusterctl/pkg/bootstrap/local/internal/layout"
	"github.com/clusterctl/clusterctl/pkg/bootstrap/local/internal/proc"
	"github.com/clusterctl/clusterctl/pkg/bootstrap/local/internal/rotate"
)

const (
	// probeFast is how often a process that isn't ready is probed, probeSlow one that is.
	probeFast = 50 * time.Millisecond
	probeSlow = 5 * time.Second
	// backoffMin doubles with each failure up to backoffMax; a process that ran for backoffReset starts anew.
	backoffMin   = 500 * time.Millisecond
	backoffMax   = 30 * time.Second
	backoffReset = time.Minute
	// lifePeriod is how often a process is asked whether it still works, lifeFailures how often in a row it may not.
	lifePeriod   = 10 * time.Second
	lifeFailures = 3
	// outputDelay is how long output is still read after a process ended that left its output to others.
	outputDelay = time.Second
)

// command is what to start.
type command struct {
	argv []string
	env  []string
	dir  string
	// probe says whether it is ready; nil means as soon as it runs.
	probe func(context.Context) error
	// alive says whether it still works; after several failures in a row it is started anew. It may be nil.
	alive func(context.Context) error
}

// process is one process that is kept running.
type process struct {
	name     string
	provider bool
	log      string
	grace    time.Duration
	// prepare gives the command before each start.
	prepare func(context.Context) (command, error)
	// changed is called after every change of state; it may be nil and must not block.
	changed func()

	spawner *proc.Spawner
	table   *table
	marker  string

	again chan struct{}
	mu    sync.Mutex
	state state
}

// state is what others may know about a process.
type state struct {
	running  bool
	ready    bool
	wasReady bool
	failures int
	restarts int
	message  string
}

func (p *process) get() state {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.state
}

func (p *process) set(change func(*state, *layout.Process)) {
	p.mu.Lock()
	p.table.update(p.name, func(line *layout.Process) {
		change(&p.state, line)
		line.Provider, line.Log = p.provider, p.log
		line.Ready, line.Restarts, line.Message = p.state.ready, p.state.restarts, p.state.message
	})
	p.mu.Unlock()
	if p.changed != nil {
		p.changed()
	}
}

// restart makes a running process start anew; it returns at once.
func (p *process) restart() {
	select {
	case p.again <- struct{}{}:
	default:
	}
}

// run keeps the process running until ctx ends; when it returns the process is gone.
func (p *process) run(ctx context.Context) {
	log, err := rotate.Open(p.log)
	if err != nil {
		p.set(func(s *state, _ *layout.Process) { s.message, s.failures = fmt.Sprintf("open log: %v", err), 1 })
		log = &rotate.Writer{} // Better without a log than not at all: the disk may be full.
	}
	defer func() { _ = log.Close() }()
	delay := backoffMin
	for ctx.Err() == nil {
		began := time.Now()
		wanted, err := p.once(ctx, log)
		p.set(func(s *state, line *layout.Process) {
			s.running, s.ready = false, false
			line.Ident, line.Since = proc.Ident{}, time.Time{}
			if err != nil {
				s.failures++
				s.message = err.Error()
			}
		})
		if ctx.Err() != nil {
			return
		}
		if wanted || time.Since(began) > backoffReset {
			delay = backoffMin
		}
		if !wanted {
			if !p.sleep(ctx, delay) {
				return
			}
			delay = min(delay*2, backoffMax)
		}
		p.set(func(s *state, _ *layout.Process) { s.restarts++ })
	}
}

func (p *process) sleep(ctx context.Context, d time.Duration) bool {
	select {
	case <-ctx.Done():
		return false
	case <-p.again:
	case <-time.After(d):
	}
	return true
}

// once starts the process and stays until it has ended. wanted says that the end was asked for.
func (p *process) once(ctx context.Context, log *rotate.Writer) (wanted bool, err error) {
	c, err := p.prepare(ctx)
	if err != nil {
		return false, err
	}
	log.Forget()
	cmd := exec.Command(c.argv[0], c.argv[1:]...) //nolint:noctx // What to run is the point; its end is watched below.
	cmd.Env = append(c.env, proc.Marker+"="+p.marker)
	cmd.Dir, cmd.Stdout, cmd.Stderr, cmd.WaitDelay = c.dir, log, log, outputDelay
	began := time.Now()
	if err := p.spawner.Start(cmd); err != nil {
		return false, err
	}
	ident, _ := proc.Of(cmd.Process.Pid)
	p.set(func(s *state, line *layout.Process) {
		s.running, s.message = true, "not ready yet"
		line.Ident, line.Since = ident, began
	})
	exited := waiter(cmd)
	if wanted, err = p.watch(ctx, c, began, exited); wanted || err != nil {
		stop(cmd.Process.Pid, p.grace, exited)
		return wanted, err
	}
	return false, errors.New(ended(cmd.ProcessState, log))
}

// watch probes until the process ends (false, nil), is to be ended (true, nil) or hangs (false, error).
func (p *process) watch(ctx context.Context, c command, began time.Time, exited <-chan struct{}) (wanted bool, err error) {
	every := time.NewTimer(0)
	defer every.Stop()
	life := liveness{probe: c.alive, next: began.Add(lifePeriod)}
	for {
		select {
		case <-exited:
			return false, nil
		case <-ctx.Done():
			return true, nil
		case <-p.again:
			return true, nil
		case <-every.C:
		}
		p.look(ctx, c, began)
		ready := p.get().ready
		if p.get().wasReady && life.lost(ctx) {
			return false, errors.New("its liveness probe failed three times")
		}
		every.Reset(map[bool]time.Duration{true: probeSlow, false: probeFast}[ready])
	}
}

// look probes for readiness and notes changes.
func (p *process) look(ctx context.Context, c command, began time.Time) {
	var err error
	if c.probe != nil {
		err = c.probe(ctx)
	} else if left := steady(p.get().failures) - time.Since(began); left > 0 {
		err = fmt.Errorf("it has no readiness probe, and has just started")
	}
	if ctx.Err() != nil {
		return
	}
	before := p.get()
	message := ""
	if err != nil {
		message = "not ready: " + err.Error()
	}
	if before.ready == (err == nil) && before.message == message {
		return
	}
	p.set(func(s *state, line *layout.Process) {
		if err == nil && !s.ready {
			line.Took = time.Since(began)
			s.wasReady, s.failures = true, 0
		}
		s.ready, s.message = err == nil, message
	})
}

// steady is how long a process that has no readiness probe must have run to count as ready: one that ends again and again is never
// ready in between.
func steady(failures int) time.Duration {
	return min(3*time.Second+time.Duration(failures)*5*time.Second, 30*time.Second)
}
