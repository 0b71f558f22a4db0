// SPDX-License-Identifier: Apache-2.0

package kind

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/clusterctl/clusterctl/pkg/atomicfile"
	"github.com/clusterctl/clusterctl/pkg/bootstrap/internal/lock"
	"github.com/clusterctl/clusterctl/pkg/event"
	"github.com/clusterctl/clusterctl/pkg/fault"
)

// cleanupTimeout bounds each thing that is done after a failure or an interruption.
const cleanupTimeout = 90 * time.Second

// cleanup is a context for one of them: the one that it comes from may be what ended.
func (c *Cluster) cleanup(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeout(context.WithoutCancel(ctx), c.patience)
}

// Ensure makes the bootstrap cluster, or brings it back. One that runs is left alone, but gets the images that it lacks. Of two calls
// at once, in any processes, the second waits for the first. When it fails, what it started is stopped again.
func (c *Cluster) Ensure(ctx context.Context, sink event.Sink) error {
	held, err := c.lock(ctx, sink, stepEnsure)
	if err != nil {
		return err
	}
	defer held.Release()
	if err := c.ensure(ctx, sink); err != nil {
		return fmt.Errorf("ensure kind bootstrap cluster %q: %w", c.Name(), err)
	}
	return nil
}

func (c *Cluster) ensure(ctx context.Context, sink event.Sink) error {
	rec, err := c.readRecord()
	if err != nil {
		return err
	}
	if rec == nil {
		return c.make(ctx, sink)
	}
	e, err := c.open(ctx, rec.Engine, sink)
	if err != nil {
		return err
	}
	if !rec.Complete {
		event.Progressf(sink, stepEnsure, "an earlier start was interrupted: removing what there is of it")
		if err := c.clear(ctx, e, rec); err != nil {
			return err
		}
		return c.make(ctx, sink)
	}
	return c.restart(ctx, e, rec, c.opts.LoadImages, sink)
}

// restart starts the containers that stand still, and loads images.
func (c *Cluster) restart(ctx context.Context, e engine, rec *record, images []string, sink event.Sink) error {
	ours, err := c.ours(ctx, e, rec)
	if err != nil {
		return err
	}
	if len(ours) < len(rec.Nodes) {
		return fault.WithHint(fault.Refusedf("%d of its %d containers were removed by somebody else, and with them what it managed", len(rec.Nodes)-len(ours), len(rec.Nodes)),
			"if the infrastructure of its clusters is gone, forget it: clusterctl delete bootstrap %s --type kind --abandon-clusters", c.Name())
	}
	var stopped []string
	for _, n := range ours {
		if !n.running() {
			stopped = append(stopped, n.ID)
		}
	}
	if len(stopped) > 0 {
		event.Progressf(sink, stepEnsure, "starting %d stopped containers", len(stopped))
		if err = e.start(ctx, stopped); err == nil {
			err = c.writeKubeconfig(e, rec.Cluster)
		}
	} else if _, statErr := os.Stat(c.Kubeconfig()); statErr != nil {
		err = c.writeKubeconfig(e, rec.Cluster)
	}
	if err == nil {
		err = c.finish(ctx, e, rec, images, sink)
	}
	if err != nil && len(stopped) > 0 {
		cleanup, cancel := c.cleanup(ctx)
		defer cancel()
		return errors.Join(err, e.stop(cleanup, stopped))
	}
	return err
}

// finish loads images, waits until it serves, and completes the record. A new cluster's nodes take images while they get ready; in
// one that was started again that is sure only when they are.
func (c *Cluster) finish(ctx context.Context, e engine, rec *record, images []string, sink event.Sink) error {
	isNew := !rec.Complete
	if isNew {
		if err := c.noteNodes(ctx, e, rec); err != nil {
			return err
		}
		if err := c.loadImages(ctx, e, rec, images, sink); err != nil {
			return err
		}
	}
	version, endpoint, err := c.ready(ctx, sink)
	if err != nil {
		return c.explainOffline(ctx, e, rec, err)
	}
	if !isNew {
		if err := c.loadImages(ctx, e, rec, images, sink); err != nil {
			return err
		}
	}
	if rec.Complete && rec.KubernetesVersion == version && rec.Endpoint == endpoint {
		return nil
	}
	rec.Complete, rec.KubernetesVersion, rec.Endpoint = true, version, endpoint
	return c.writeRecord(rec)
}

// noteNodes has the record name the containers of a new cluster.
func (c *Cluster) noteNodes(ctx context.Context, e engine, rec *record) error {
	nodes, err := e.nodes(ctx, rec.Cluster)
	if err != nil {
		return err
	}
	rec.Nodes = map[string]string{}
	for _, n := range nodes {
		rec.Nodes[n.Name] = n.ID
	}
	return nil
}

// ours lists the containers that the record names and that are there. A container with the cluster's label that a complete record
// doesn't name is somebody else's: then nothing is touched.
func (c *Cluster) ours(ctx context.Context, e engine, rec *record) ([]container, error) {
	all, err := e.nodes(ctx, rec.Cluster)
	if err != nil || !rec.Complete {
		return all, err
	}
	for _, n := range all {
		if rec.Nodes[n.Name] != n.ID {
			return nil, fault.WithHint(fault.Refusedf("there is a container %s (%.12s) of kind cluster %s that we didn't make", n.Name, n.ID, rec.Cluster),
				"find out whose it is; if nobody needs it: %s rm --force --volumes %s", rec.Engine, n.Name)
		}
	}
	return all, nil
}

// writeKubeconfig asks kind for the credentials: a port may have changed.
func (c *Cluster) writeKubeconfig(e engine, cluster string) error {
	text, err := e.kubeconfig(cluster)
	if err != nil {
		return fmt.Errorf("read kubeconfig: %w", err)
	}
	return atomicfile.Write(c.Kubeconfig(), []byte(text), 0o600)
}

// clear removes what there is of an incomplete cluster, and its record at last.
func (c *Cluster) clear(ctx context.Context, e engine, rec *record) error {
	if err := c.removeContainers(ctx, e, rec); err != nil {
		return err
	}
	for _, file := range []string{c.Kubeconfig(), c.Kubeconfig() + ".lock", recordPath(c.dir)} {
		if err := os.Remove(file); err != nil && !errors.Is(err, os.ErrNotExist) {
			return err
		}
	}
	return nil
}

func (c *Cluster) removeContainers(ctx context.Context, e engine, rec *record) error {
	ours, err := c.ours(ctx, e, rec)
	if err != nil {
		return err
	}
	return e.remove(ctx, ids(ours))
}

func ids(all []container) []string {
	out := make([]string, len(all))
	for i, n := range all {
		out[i] = n.ID
	}
	slices.Sort(out)
	return out
}

// lock takes the lock of commands on this bootstrap.
func (c *Cluster) lock(ctx context.Context, sink event.Sink, step string) (*lock.Lock, error) {
	if err := c.makeDir(); err != nil {
		return nil, err
	}
	return c.waitLock(ctx, sink, step)
}

// waitLock is lock for a directory that is there.
func (c *Cluster) waitLock(ctx context.Context, sink event.Sink, step string) (*lock.Lock, error) {
	return lock.Acquire(ctx, c.lockPath(), func() {
		event.Progressf(sink, step, "another command is working on bootstrap cluster %q, waiting for it", c.Name())
	})
}

// lockPath is beside the directory, so that the directory can go while the lock is held.
func (c *Cluster) lockPath() string {
	return filepath.Join(root(c.opts.Dirs.State), "."+c.Name()+".lock")
}
