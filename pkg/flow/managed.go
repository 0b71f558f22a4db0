// SPDX-License-Identifier: Apache-2.0

package flow

import (
	"context"
	"errors"
	"fmt"
	"io/fs"

	"github.com/clusterctl/clusterctl/pkg/bootstrap"
	"github.com/clusterctl/clusterctl/pkg/event"
	"github.com/clusterctl/clusterctl/pkg/fault"
	"github.com/clusterctl/clusterctl/pkg/kube"
	"github.com/clusterctl/clusterctl/pkg/naming"
	"github.com/clusterctl/clusterctl/pkg/workload"
)

// Managed fills in the kubeconfig of the bootstrap cluster that an earlier run recorded for a Cluster, by the rules of
// Locate, for commands that only look: one that doesn't run is an error that says how to bring it back. Where nothing is
// recorded the target stays as it is.
func Managed(ctx context.Context, t Target, h Host) (Target, error) {
	if t.Kubeconfig != "" || t.Context != "" {
		return t, nil
	}
	rec, err := findRecord(OpenRecords(h.Dirs.State), t)
	if err != nil || rec == nil {
		return t, err
	}
	boot, err := openBootstrap(rec.Bootstrap, BootstrapOptions{}, h)
	if err != nil {
		return t, err
	}
	if rec.Bootstrap.Type != bootstrap.Existing {
		st, err := boot.Status(ctx)
		if err != nil {
			return t, err
		}
		where := fmt.Sprintf("the %s, which manages cluster %s/%s,", describeBootstrap(rec.Bootstrap), rec.Namespace, rec.Name)
		switch st.State {
		case bootstrap.Missing:
			return t, fmt.Errorf("%s is not there", where)
		case bootstrap.Stopped:
			return t, fault.WithHint(fmt.Errorf("%s is stopped", where), "bring it back: clusterctl create bootstrap %s", rec.Bootstrap.Name)
		}
		if !isFile(boot.Kubeconfig()) {
			return t, fault.WithHint(fmt.Errorf("%s isn't up yet", where), "wait for the run that makes it, or go on with it: clusterctl create cluster %s -n %s", rec.Name, rec.Namespace)
		}
	}
	switch err := checkStill(ctx, rec, h); {
	case errors.Is(err, errReplaced):
		event.Notef(h.Sink, "an earlier run made cluster %s/%s on a management cluster that isn't there any more: another one answers at %s now, so its record isn't used",
			rec.Namespace, rec.Name, rec.Bootstrap.Server)
		return t, nil
	case err != nil:
		return t, err
	}
	t.Namespace, t.Kubeconfig, t.Context = rec.Namespace, boot.Kubeconfig(), rec.Bootstrap.Context
	return t, nil
}

// checkStill refuses an existing cluster that isn't the recorded one any more. Whatever else is wrong with it is told where it is asked.
func checkStill(ctx context.Context, rec *Record, h Host) error {
	if rec.Bootstrap.UID == "" {
		return nil
	}
	c, err := connect(h, rec.Bootstrap.Kubeconfig, rec.Bootstrap.Context, nil)
	if err != nil {
		return nil // see above
	}
	defer c.Close()
	ctx, stop := context.WithTimeout(ctx, selfWait)
	defer stop()
	err = rec.Bootstrap.verify(ctx, c, rec.rightOneOfDelete())
	if fault.CodeOf(err) == fault.Refused {
		return err
	}
	return nil
}

// validate refuses names that no Cluster can have, before they become part of a path.
func (t Target) validate() error {
	var faults fault.List
	faults.Add(naming.Subdomain("cluster name", t.Name))
	if t.Namespace != "" {
		faults.Add(naming.Label("namespace", t.Namespace))
	}
	return faults.Err()
}

// ErrUnknownCluster says that no run on this host made a cluster of a name, and that there is no kubeconfig to ask for it.
var ErrUnknownCluster = errors.New("no such cluster is known")

// unknown adds to the want of a kubeconfig that the name isn't known here: it may be a slip of the pen, or gone.
func unknown(err error, t Target) error {
	switch {
	case errors.Is(err, kube.ErrNoConfig):
		err = fault.WithHint(fmt.Errorf("no earlier run on this host is known for cluster %s, and there is %w", t.Name, err), "check the name")
	case t.Kubeconfig != "" && errors.Is(err, fs.ErrNotExist):
		err = fault.WithHint(fmt.Errorf("no earlier run on this host is known for cluster %s: %w", t.Name, err),
			"if %s was deleted already, nothing of it is left, and the kubeconfig that was written for it went with it", t.Name)
	default:
		return err
	}
	return &worded{err.Error(), errors.Join(err, ErrUnknownCluster)}
}

// NothingToDelete says whether an error of [NewDelete] or a [Delete] means that there is no such cluster, here or in another namespace.
func NothingToDelete(err error) bool {
	var missing *workload.NotFoundError
	if errors.As(err, &missing) {
		return len(missing.Elsewhere) == 0
	}
	return errors.Is(err, ErrUnknownCluster)
}
