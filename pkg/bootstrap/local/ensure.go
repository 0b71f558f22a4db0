// SPDX-License-Identifier: Apache-2.0

package local

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/clusterctl/clusterctl/pkg/bootstrap/internal/lock"
	"github.com/clusterctl/clusterctl/pkg/bootstrap/local/internal/assets"
	"github.com/clusterctl/clusterctl/pkg/bootstrap/local/internal/layout"
	"github.com/clusterctl/clusterctl/pkg/event"
	"github.com/clusterctl/clusterctl/pkg/fault"
)

// The steps under which Ensure and Delete report progress.
const (
	stepEnsure = "bootstrap"
	stepDelete = "delete-bootstrap"
)

// poll is how often a command looks what the supervisor says.
const poll = 50 * time.Millisecond

// Ensure makes the bootstrap cluster, or brings it back with everything that was in it. One that runs is left alone.
// Of two calls at once, in any processes, the second waits for the first and joins its result.
// When it fails or ctx ends, what it started is stopped again; the state is kept.
func (c *Cluster) Ensure(ctx context.Context, sink event.Sink) error {
	held, err := c.lock(ctx, sink, stepEnsure)
	if err != nil {
		return err
	}
	defer held.Release()
	if err := c.ensure(ctx, sink); err != nil {
		c.dropUnstarted()
		return fmt.Errorf("ensure local bootstrap cluster %q: %w", c.Name(), err)
	}
	return nil
}

func (c *Cluster) ensure(ctx context.Context, sink event.Sink) error {
	if err := c.makeMeta(ctx); err != nil {
		return err
	}
	st, err := c.dir.ReadStatus()
	if err == nil && st.Supervisor.Alive() && (st.Phase == layout.Starting || st.Phase == layout.Running) {
		expiring, err := c.expiring()
		if err != nil {
			return err
		}
		if !expiring {
			event.Progressf(sink, stepEnsure, "it runs already, its supervisor is process %d", st.Supervisor.PID)
			ctx, cancel := context.WithTimeoutCause(ctx, c.opts.StartTimeout, fmt.Errorf("not ready after %s", c.opts.StartTimeout))
			defer cancel()
			return c.await(ctx, sink, st.Supervisor)
		}
		event.Progressf(sink, stepEnsure, "its certificates expire soon, starting it anew")
	}
	if err := c.stopAll(ctx, sink, stepEnsure); err != nil {
		return err
	}
	return c.start(ctx, sink)
}

// start starts the supervisor and waits for it; on failure nothing of it is left running.
func (c *Cluster) start(ctx context.Context, sink event.Sink) error {
	if err := c.preflight(); err != nil {
		return err
	}
	programs, err := assets.Find(ctx, assets.Request{
		Version: c.opts.KubernetesVersion, Exact: c.opts.exact, Dir: c.opts.AssetsDir, Cache: c.opts.Dirs.Cache, Downloads: c.opts.Downloads,
	}, sink)
	if err != nil {
		return err
	}
	err = layout.WriteJSON(c.dir.Config(), layout.Config{
		KubernetesVersion: programs.Version, Etcd: programs.Etcd, APIServer: programs.APIServer,
		ControllerManager: programs.ControllerManager, Images: filepath.Join(c.opts.Dirs.Cache, "images"), StartTimeout: c.opts.StartTimeout,
	})
	if err != nil {
		return err
	}
	supervisor, err := c.launch()
	if err == nil {
		err = c.await(ctx, sink, supervisor)
	}
	if err != nil {
		// Not ctx: it may be what ended.
		cleanup, cancel := context.WithTimeout(context.WithoutCancel(ctx), stopTimeout)
		defer cancel()
		return errors.Join(err, c.stopAll(cleanup, nil, stepEnsure))
	}
	return nil
}

// dropUnstarted removes the directory of a bootstrap that never got as far as starting anything: there
// is nothing in it, not even a log.
func (c *Cluster) dropUnstarted() {
	if _, err := c.dir.ReadMeta(); err != nil || c.dir.Used() {
		return
	}
	if _, err := os.Stat(c.dir.Logs()); errors.Is(err, fs.ErrNotExist) {
		_ = c.remove() // What is left is found by the next Ensure or Delete.
	}
}

// lock takes the lock of commands, after making the directory that it is in.
func (c *Cluster) lock(ctx context.Context, sink event.Sink, step string) (*lock.Lock, error) {
	for {
		if err := c.makeDir(); err != nil {
			return nil, err
		}
		held, err := c.waitLock(ctx, sink, step)
		if errors.Is(err, fs.ErrNotExist) {
			continue // Deleted by the one before.
		}
		return held, err
	}
}

// waitLock takes the lock of commands; without the directory there is none.
func (c *Cluster) waitLock(ctx context.Context, sink event.Sink, step string) (*lock.Lock, error) {
	return lock.Acquire(ctx, c.dir.EnsureLock(), func() {
		event.Progressf(sink, step, "another command is working on bootstrap cluster %q, waiting for it", c.Name())
	})
}

// makeDir makes the directory, or makes sure that the one there is private.
func (c *Cluster) makeDir() error {
	hint := "set CLUSTERCTL_STATE_HOME to a directory that you may write to"
	if err := os.MkdirAll(string(c.dir), 0o700); err != nil {
		return fault.WithHint(fault.WithCode(fault.Refused, fmt.Errorf("make state directory: %w", err)), "%s", hint)
	}
	return nil
}

// makeMeta makes the marker of a new bootstrap, or checks that the directory is one.
func (c *Cluster) makeMeta(ctx context.Context) error {
	if err := c.checkDir(); err != nil {
		return err
	}
	_, err := c.dir.ReadMeta()
	if !errors.Is(err, fs.ErrNotExist) {
		return explainMeta(c.Name(), err)
	}
	ip, err := c.choosePodIP(ctx)
	if err != nil {
		return err
	}
	return layout.WriteJSON(c.dir.Meta(), layout.Meta{
		Kind: layout.MetaKind, Version: 1, Name: c.Name(), Created: time.Now().UTC().Truncate(time.Second), PodIP: ip,
	})
}

func explainMeta(name string, err error) error {
	if errors.Is(err, layout.ErrForeign) {
		return fault.WithHint(fault.WithCode(fault.Refused, err),
			"choose another name, or look at the directory and move it away; bootstrap cluster %q can't use it", name)
	}
	return err
}
