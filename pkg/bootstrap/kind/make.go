// SPDX-License-Identifier: Apache-2.0

package kind

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/clusterctl/clusterctl/pkg/event"
	"github.com/clusterctl/clusterctl/pkg/fault"
)

// errStillMaking says that kind was left behind while it worked.
var errStillMaking = errors.New("kind didn't end in time: it may go on making containers")

// make makes a new cluster; when it fails, nothing of it is left but the nodes' logs.
func (c *Cluster) make(ctx context.Context, sink event.Sink) (err error) {
	if err := c.makeDir(); err != nil { // An earlier delete may have held the lock before us.
		return err
	}
	defer func() {
		if err != nil {
			c.dropEmpty()
		}
	}()
	config, err := c.opts.config()
	if err != nil {
		return err
	}
	e, err := c.preflight(ctx, config, sink)
	if err != nil {
		return err
	}
	rec := &record{Cluster: clusterName(c.Name(), c.unique()), Engine: e.name(), Created: time.Now().UTC().Truncate(time.Second)}
	if err := c.checkFree(ctx, e, rec.Cluster); err != nil {
		return err
	}
	for _, image := range slices.Compact(slices.Sorted(slices.Values(c.opts.images(config)))) {
		event.Progressf(sink, stepEnsure, "getting node image %s, if it isn't there", image)
		if err := e.pull(ctx, image); err != nil {
			return fault.WithHint(fmt.Errorf("get node image %s: %w", image, err),
				"load it into %s yourself, or name one that is there with --kind-image (or --bootstrap local, which needs none)", e.name())
		}
	}
	if err := c.writeRecord(rec); err != nil {
		return err
	}
	if err = c.createLoading(ctx, e, rec, config, sink); err == nil {
		err = c.finish(ctx, e, rec, c.opts.LoadImages, sink)
	}
	if err == nil {
		return nil
	}
	return c.giveUp(ctx, e, rec, err, sink)
}

// dropEmpty takes the directory and its lock away where nothing is in it: not a record, not a log.
func (c *Cluster) dropEmpty() {
	if os.Remove(c.dir) == nil {
		_ = os.Remove(c.lockPath())            // Whoever waits for it notices.
		_ = os.Remove(root(c.opts.Dirs.State)) // Only if it is empty.
	}
}

// checkFree refuses a name in the engine that somebody else's cluster has.
func (c *Cluster) checkFree(ctx context.Context, e engine, name string) error {
	nodes, err := e.nodes(ctx, name)
	if err != nil {
		return err
	}
	if len(nodes) > 0 {
		return fault.WithHint(fault.Refusedf("there is a kind cluster %s already that we have no record of", name),
			"run this again, another name is made up then; that cluster stays as it is")
	}
	return nil
}

// create runs kind, which can't be told to stop: when ctx ends, its containers are taken away from it until it gives up.
func (c *Cluster) create(ctx context.Context, e engine, rec *record, config []byte) error {
	done := make(chan error, 1)
	go func() { done <- e.create(rec.Cluster, config, c.opts.Image, c.Kubeconfig()) }()
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
	}
	cleanup, cancel := c.cleanup(ctx)
	defer cancel()
	for {
		nodes, err := e.nodes(cleanup, rec.Cluster)
		if err == nil && len(nodes) > 0 {
			_ = e.remove(cleanup, ids(nodes)) // Tried again, and at last by giveUp.
		}
		select {
		case <-done: //nolint:errcheck // However it ended: it was interrupted.
			return context.Cause(ctx)
		case <-cleanup.Done():
			return errors.Join(context.Cause(ctx), errStillMaking)
		case <-time.After(500 * time.Millisecond):
		}
	}
}

// giveUp keeps the nodes' logs and takes the rest away. While kind works the record stays: nobody else would know what it still makes.
func (c *Cluster) giveUp(ctx context.Context, e engine, rec *record, cause error, sink event.Sink) error {
	if c.opts.Retain {
		return c.hintLeft(e, rec, cause)
	}
	if ctx.Err() == nil {
		cause = c.keepLogs(ctx, e, rec, cause, sink)
	}
	event.Progressf(sink, stepEnsure, "removing what there is of the cluster")
	cleanup, cancel := c.cleanup(ctx)
	defer cancel()
	if errors.Is(cause, errStillMaking) {
		return c.hintLeft(e, rec, errors.Join(cause, c.removeContainers(cleanup, e, rec)))
	}
	return errors.Join(cause, c.clear(cleanup, e, rec))
}

// hintLeft says how containers that are left are found, and what removes them.
func (c *Cluster) hintLeft(e engine, rec *record, cause error) error {
	return fault.WithHint(cause, "containers may be left (%s ps -a --filter label=%s=%s); the next start or \"clusterctl delete bootstrap %s --type kind\" removes them",
		e.name(), clusterLabel, rec.Cluster, c.Name())
}

// logsDir is where the logs of the nodes of a failed start are.
func (c *Cluster) logsDir() string { return filepath.Join(c.dir, "logs") }

// keepLogs collects the nodes' logs and names their folder in the error. kind can't be told to stop here either: it gives up when the
// containers go.
func (c *Cluster) keepLogs(ctx context.Context, e engine, rec *record, cause error, sink event.Sink) error {
	ctx, cancel := context.WithTimeoutCause(ctx, c.patience, fmt.Errorf("not done after %s", c.patience))
	defer cancel()
	nodes, err := e.nodes(ctx, rec.Cluster)
	switch {
	case err != nil:
		return cause
	case len(nodes) == 0:
		return fmt.Errorf("%w (it has no containers, or none any more)", cause)
	}
	event.Progressf(sink, stepEnsure, "collecting the logs of %s", event.Count(len(nodes), "node"))
	_ = os.RemoveAll(c.logsDir())
	done := make(chan error, 1)
	go func() { done <- e.collectLogs(rec.Cluster, c.logsDir()) }()
	select {
	case err = <-done:
	case <-ctx.Done():
		err = context.Cause(ctx)
	}
	if left, listErr := e.nodes(ctx, rec.Cluster); listErr == nil && len(left) < len(nodes) {
		cause = fmt.Errorf("its containers were removed meanwhile by somebody else: %w", cause)
	}
	if !hasLogs(c.logsDir()) {
		why := "there are none"
		if err != nil {
			why = fault.Brief(err)
		}
		event.Warnf(sink, "the nodes' logs couldn't be collected: %s", why)
		return cause
	}
	return fault.WithHint(cause, "the nodes' logs are in %s", c.logsDir())
}

// hasLogs says whether there is anything to read: on a full disk there are empty files.
func hasLogs(dir string) bool {
	found := false
	_ = filepath.WalkDir(dir, func(_ string, entry fs.DirEntry, err error) error { // What can't be read is none.
		if err == nil && entry.Type().IsRegular() {
			info, infoErr := entry.Info()
			found = found || infoErr == nil && info.Size() > 0
		}
		return nil
	})
	return found
}
