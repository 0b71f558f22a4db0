// SPDX-License-Identifier: Apache-2.0

package flow

import (
	"context"
	"errors"
	"fmt"

	"github.com/clusterctl/clusterctl/pkg/bootstrap"
	"github.com/clusterctl/clusterctl/pkg/fault"
	"github.com/clusterctl/clusterctl/pkg/kube"
)

// pinned makes the record of an existing cluster independent of the working directory and of what the current context is later. A
// kubeconfig that can't be read says so where it is used.
func pinned(rec BootstrapRecord, h Host) (BootstrapRecord, error) {
	if rec.Type != bootstrap.Existing {
		return rec, nil
	}
	var err error
	if rec.Kubeconfig, err = absolute(rec.Kubeconfig); err != nil {
		return rec, err
	}
	if cfg, err := kube.LoadConfig(kube.ConfigSource{Path: rec.Kubeconfig, Context: rec.Context, Getenv: h.Getenv}); err == nil {
		rec.Context = cfg.Context
	}
	return rec, nil
}

// names says whether what is given now names the bootstrap cluster of a record. A context that isn't given is the recorded one, whatever
// the kubeconfig's current one is by now.
func (rec BootstrapRecord) names(old BootstrapRecord, h Host) (bool, error) {
	now, err := pinned(rec, h)
	if err != nil {
		return false, err
	}
	then, err := pinned(old, h)
	context := rec.Context == "" || now.Context == then.Context
	return now.Type == then.Type && now.Name == then.Name && now.Kubeconfig == then.Kubeconfig && context, err
}

// identify notes which cluster it is that a client talks to. Where nobody may look, it stays unknown.
func (rec *BootstrapRecord) identify(ctx context.Context, c *kube.Client) error {
	uid, err := c.UID(ctx)
	if errors.Is(err, kube.ErrForbidden) {
		return nil
	}
	if err != nil {
		return err
	}
	rec.UID, rec.Server = uid, c.Host()
	return nil
}

// verify refuses a client that talks to another cluster than the one of the record (errReplaced where it is at the same address). hint
// says what to do then. What an older version recorded isn't known well enough to be told apart.
func (rec *BootstrapRecord) verify(ctx context.Context, c *kube.Client, hint string) error {
	if rec.UID == "" {
		return nil
	}
	uid, err := c.UID(ctx)
	if err != nil {
		return fmt.Errorf("make sure that %s is the %s still: %w", c.Host(), describeBootstrap(*rec), err)
	}
	if uid == rec.UID {
		return nil
	}
	err = fault.Refusedf("the %s is another cluster now: it leads to %s, whose namespace kube-system has the UID %s, and the recorded one is %s with the UID %s",
		describeBootstrap(*rec), c.Host(), uid, rec.Server, rec.UID)
	if c.Host() == rec.Server {
		err = &worded{err.Error(), errors.Join(err, errReplaced)}
	}
	return fault.WithHint(err, "%s", hint)
}

// reach connects to the bootstrap cluster of a record as a move wants it, and refuses another cluster. counter may be nil.
func reach(ctx context.Context, h Host, path string, rec BootstrapRecord, hint string, counter *kube.Counter) (*kube.Client, error) {
	c, err := connect(h, path, rec.Context, counter)
	if err != nil {
		return nil, err
	}
	if err := kube.Retry(ctx, func(ctx context.Context) error { return rec.verify(ctx, c, hint) }); err != nil {
		c.Close()
		return nil, err
	}
	return c, nil
}

// rightOne says to a creation how the cluster of its record is named anew.
func (rec *Record) rightOne() string {
	if rec.Bootstrap.Itself {
		return fmt.Sprintf("put the cluster's own kubeconfig back to %s, or, if the cluster is gone for good, forget it: clusterctl delete cluster %s -n %s --forget",
			rec.Bootstrap.Kubeconfig, rec.Name, rec.Namespace)
	}
	return fmt.Sprintf("name the right one with --bootstrap-kubeconfig and --bootstrap-context, or, if it is gone for good, forget the run: clusterctl delete cluster %s -n %s --forget",
		rec.Name, rec.Namespace)
}

// rightOneOfDelete says that to a deletion.
func (rec *Record) rightOneOfDelete() string {
	return fmt.Sprintf("name the right one with --kubeconfig and --kubeconfig-context, or, if it is gone for good, forget the run: clusterctl delete cluster %s -n %s --forget",
		rec.Name, rec.Namespace)
}
