// SPDX-License-Identifier: Apache-2.0

package local

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/clusterctl/clusterctl/pkg/bootstrap/internal/lock"
	"github.com/clusterctl/clusterctl/pkg/bootstrap/local/internal/layout"
	"github.com/clusterctl/clusterctl/pkg/bootstrap/local/internal/ports"
	"github.com/clusterctl/clusterctl/pkg/bootstrap/local/internal/proc"
	"github.com/clusterctl/clusterctl/pkg/event"
)

const (
	// stopTimeout bounds an orderly stop: the sum of what the supervisor grants its processes.
	stopTimeout = 60 * time.Second
	// killTimeout is how long killed processes may take to disappear.
	killTimeout = 10 * time.Second
)

// Stop stops all processes in order and keeps the state; Ensure brings it back.
func (c *Cluster) Stop(ctx context.Context, sink event.Sink) error {
	if _, err := os.Stat(string(c.dir)); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	held, err := c.lock(ctx, sink, stepDelete)
	if err != nil {
		return err
	}
	defer held.Release()
	if err := c.stopAll(ctx, sink, stepDelete); err != nil {
		return fmt.Errorf("stop local bootstrap cluster %q: %w", c.Name(), err)
	}
	return nil
}

// Delete stops all processes in order and removes the state. It finishes what an earlier one began, and
// it works without the supervisor. What isn't a bootstrap cluster is refused and stays.
func (c *Cluster) Delete(ctx context.Context, sink event.Sink) error {
	if err := c.delete(ctx, sink); err != nil {
		return fmt.Errorf("delete local bootstrap cluster %q: %w", c.Name(), err)
	}
	return nil
}

func (c *Cluster) delete(ctx context.Context, sink event.Sink) error {
	if err := c.sweepTrash(); err != nil {
		return err
	}
	if _, err := os.Stat(string(c.dir)); errors.Is(err, fs.ErrNotExist) {
		return c.stopAll(ctx, sink, stepDelete) // Its directory is gone, its processes may not be.
	}
	held, err := c.lock(ctx, sink, stepDelete)
	if err != nil {
		return err
	}
	defer held.Release()
	_, err = c.dir.ReadMeta()
	if err != nil && !errors.Is(err, fs.ErrNotExist) && !c.ours() {
		return explainMeta(c.Name(), err)
	}
	if err := c.stopAll(ctx, sink, stepDelete); err != nil {
		return err
	}
	event.Progressf(sink, stepDelete, "removing %s", c.dir)
	return c.remove()
}

// remove removes the directory. One rename makes it no bootstrap any more.
func (c *Cluster) remove() error {
	trash := filepath.Join(c.dir.Root(), trashPrefix+c.Name())
	if err := os.Rename(string(c.dir), trash); err != nil {
		return err
	}
	return c.sweepTrash()
}

// trashPrefix marks what is being deleted, so that what a killed delete leaves is found.
const trashPrefix = ".deleted-"

// sweepTrash removes what this delete, or an earlier one that was killed, took out of the way.
func (c *Cluster) sweepTrash() error {
	trash := filepath.Join(c.dir.Root(), trashPrefix+c.Name())
	if err := os.RemoveAll(trash); err != nil {
		return err
	}
	entries, err := os.ReadDir(c.dir.Root())
	if err != nil || len(entries) != 1 || entries[0].Name() != filepath.Base(c.dir.PortsLock()) {
		return nil // Nothing to tidy up.
	}
	held, err := lock.Try(c.dir.PortsLock())
	if err != nil {
		return nil // In use: a new bootstrap is being made.
	}
	defer held.Release()
	_ = os.Remove(c.dir.PortsLock())
	_ = os.Remove(c.dir.Root()) // Only if it is empty.
	return nil
}

// ours says whether the directory looks like a bootstrap whose marker is damaged, so that it can be deleted.
func (c *Cluster) ours() bool {
	for _, file := range []string{c.dir.Config(), c.dir.Meta()} {
		if _, err := os.Stat(file); err != nil {
			return false
		}
	}
	return true
}

// stopAll ends the supervisor in order if it lives, then whatever else is left, and proves that nothing is.
func (c *Cluster) stopAll(ctx context.Context, sink event.Sink, step string) error {
	st, err := c.dir.ReadStatus()
	if err != nil {
		st = layout.Status{} // Damaged: the processes are found by their mark.
	}
	if st.Supervisor.Alive() {
		event.Progressf(sink, step, "stopping providers, kube-controller-manager, kube-apiserver, etcd")
		if err := c.stopSupervisor(ctx, st); err != nil {
			return err
		}
	}
	if err := c.killLeft(ctx, st); err != nil {
		return err
	}
	return c.portsFree(ctx)
}

// stopSupervisor asks the supervisor to end and waits; one that doesn't is killed, and its children with it.
func (c *Cluster) stopSupervisor(ctx context.Context, st layout.Status) error {
	supervisor := st.Supervisor
	if st.Phase != layout.Stopping { // A second signal may mean: at once.
		if err := supervisor.Signal(syscall.SIGTERM); err != nil && !errors.Is(err, os.ErrProcessDone) {
			return fmt.Errorf("stop supervisor: %w", err)
		}
	}
	deadline := time.Now().Add(stopTimeout)
	for supervisor.Alive() {
		if time.Now().After(deadline) {
			_ = supervisor.Signal(syscall.SIGKILL)
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("wait for supervisor %d to end: %w", supervisor.PID, context.Cause(ctx))
		case <-time.After(poll):
		}
	}
	proc.Reap(supervisor.PID)
	return nil
}

// killLeft kills what is left of the processes in the table, and of all that carry the bootstrap's mark.
func (c *Cluster) killLeft(ctx context.Context, st layout.Status) error {
	deadline := time.Now().Add(killTimeout)
	for {
		left, err := proc.Marked(string(c.dir))
		if err != nil {
			return err
		}
		for _, p := range st.Processes {
			if p.Ident.Alive() {
				left = append(left, p.Ident)
			}
		}
		if len(left) == 0 {
			return nil
		}
		if time.Now().After(deadline) {
			return fmt.Errorf("end process %d: it is still there after %s", left[0].PID, killTimeout)
		}
		for _, p := range left {
			if err := p.Signal(syscall.SIGKILL); err != nil && !errors.Is(err, os.ErrProcessDone) {
				return fmt.Errorf("end process %d: %w", p.PID, err)
			}
			proc.Reap(p.PID)
		}
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-time.After(poll):
		}
	}
}

// portsFree waits until nothing listens any more; a port that another program took meanwhile is none of ours.
func (c *Cluster) portsFree(ctx context.Context) error {
	t, err := ports.Read(c.dir)
	if err != nil {
		return nil //nolint:nilerr // Damaged: there is nothing to compare with, and nothing of ours runs.
	}
	for range 20 {
		if len(t.Listening()) == 0 {
			return nil
		}
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-time.After(poll):
		}
	}
	return nil
}

// isTrash says whether a directory entry is a bootstrap that is being deleted.
func isTrash(name string) bool { return strings.HasPrefix(name, trashPrefix) }
