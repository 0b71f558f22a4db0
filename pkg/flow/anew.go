// SPDX-License-Identifier: Apache-2.0

package flow

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/clusterctl/clusterctl/pkg/bootstrap"
	"github.com/clusterctl/clusterctl/pkg/event"
)

// errReplaced says that another cluster answers at the very address of the recorded one: that one can't be reached any more by anybody
// who knew it, as with a test cluster that was made anew. A kubeconfig that leads to another address is a slip instead.
var errReplaced = errors.New("made anew")

// lookForReplaced begins anew where the management cluster of the record was replaced and the command is a whole order, which doesn't
// need what the record says. What else is wrong with the cluster is told by the checks after it. Nothing is changed before [Create.begin].
func (c *Create) lookForReplaced(ctx context.Context) error {
	old := c.record
	if !c.resumed || old.Bootstrap.Type != bootstrap.Existing || old.Bootstrap.UID == "" || old.Bootstrap.Itself || old.Pivot != NotPivoted {
		return nil
	}
	in, err := c.opts.Inputs.absolute()
	if err != nil || in.Empty() || in.Validate() != nil {
		return nil // not a whole order
	}
	short, stop := context.WithTimeout(ctx, selfWait)
	defer stop()
	if _, err := c.management(short); !errors.Is(err, errReplaced) {
		return nil
	}
	// A context that isn't given now is the recorded one still.
	c.opts.Bootstrap.Type, c.opts.Bootstrap.Kubeconfig, c.opts.Bootstrap.Context = bootstrap.Existing, old.Bootstrap.Kubeconfig, old.Bootstrap.Context
	if err := c.newRecord(in); err != nil {
		return err
	}
	c.replaced, c.resumed, c.before, c.beforeVariables = old, false, nil, nil
	c.boot, err = openBootstrap(c.record.Bootstrap, c.opts.Bootstrap, c.host)
	return err
}

// saveAnew writes the record of a run that begins anew over that of the run on the cluster before, which it puts aside and tells of: it
// isn't deleted, as only its user knows whether machines of that cluster still run.
func (c *Create) saveAnew() error {
	aside, err := c.records.putAside(c.replaced, c.started)
	if err != nil {
		return err
	}
	if err := c.records.Save(c.record); err != nil {
		return errors.Join(err, os.Rename(aside, c.records.path(c.record.Namespace, c.record.Name)))
	}
	event.Warnf(c.host.Sink, "the %s was made anew since an earlier run began cluster %s/%s on it (UID %s, now %s, both at %s): this run begins anew too, and the record of that one is put aside as %s. Machines that it made may run still",
		describeBootstrap(c.record.Bootstrap), c.record.Namespace, c.record.Name, c.replaced.Bootstrap.UID, c.record.Bootstrap.UID, c.record.Bootstrap.Server, aside)
	c.replaced = nil
	return nil
}

// putAside gives a record's file a name of its own, under which no command looks for it.
func (r *Records) putAside(rec *Record, at time.Time) (string, error) {
	path := r.path(rec.Namespace, rec.Name)
	aside := path + ".until-" + at.UTC().Format("20060102-150405")
	if err := os.Rename(path, aside); err != nil {
		return "", badState(fmt.Errorf("put the record of the earlier run aside: %w", err))
	}
	return aside, nil
}
