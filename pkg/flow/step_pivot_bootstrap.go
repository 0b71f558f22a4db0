// SPDX-License-Identifier: Apache-2.0

package flow

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/clusterctl/clusterctl/pkg/bootstrap"
	"github.com/clusterctl/clusterctl/pkg/bootstrap/existing"
	"github.com/clusterctl/clusterctl/pkg/fault"
	"github.com/clusterctl/clusterctl/pkg/kube"
	"github.com/clusterctl/clusterctl/pkg/move"
)

// pivotBootstrap deletes the bootstrap cluster of a cluster that manages itself, if it is ours and holds nothing else.
func (c *Create) pivotBootstrap(ctx context.Context) (string, error) {
	if c.record.Pivot != Pivoted {
		return "kept: it manages the cluster", nil
	}
	outcome, err := c.dropBootstrap(ctx)
	if err != nil {
		return "", err
	}
	c.record.Pivot, c.record.Bootstrap = SelfManaged, *c.record.Self
	c.record.Bootstrap.Ready = true
	if err := c.records.Save(c.record); err != nil {
		return "", err
	}
	if err := os.Remove(c.selfKubeconfig()); err != nil && !errors.Is(err, os.ErrNotExist) {
		return "", err
	}
	c.keepWarnings()
	c.boot, c.mgmt, c.guest = existing.New(c.record.Bootstrap.Kubeconfig, c.record.Bootstrap.Context), nil, nil
	return outcome, nil
}

func (c *Create) dropBootstrap(ctx context.Context) (string, error) {
	switch {
	case c.record.Bootstrap.Type == bootstrap.Existing:
		return c.leaveExisting(ctx)
	case !c.record.Bootstrap.Made || c.record.Inputs.KeepBootstrap:
		return "kept", nil
	}
	others, err := siblings(c.records, c.record)
	if err != nil {
		return "", err
	}
	if len(others) > 0 {
		return fmt.Sprintf("kept: cluster %s/%s was begun on it, too", others[0].Namespace, others[0].Name), nil
	}
	discarded, err := c.provenMoved(ctx)
	if err != nil {
		return "", err
	}
	outcome, err := deleteBootstrap(ctx, c.boot, c.host, discarded)
	var holds *HoldsClustersError
	if errors.As(err, &holds) {
		return "kept: it manages " + strings.Join(holds.Clusters, ", "), nil
	}
	return outcome, err
}

// leaveExisting takes back from an existing cluster what was installed there for the pivot, if nothing uses it.
func (c *Create) leaveExisting(ctx context.Context) (string, error) {
	if _, err := c.provenMoved(ctx); err != nil {
		return "", err
	}
	source, err := c.management(ctx)
	if err != nil {
		return "", err
	}
	text, err := takeBack(ctx, source, c.record, c.record.Inputs.KeepProviders, c.host, StepPivotBootstrap)
	if err != nil {
		return "", err
	}
	// What stays there works as before.
	if n, err := move.StartAgain(ctx, source); err != nil {
		return "", err
	} else if n > 0 {
		text += fmt.Sprintf("; its %d controllers run again", n)
	}
	return text, nil
}

// provenMoved asks both clusters once more before the bootstrap cluster goes: the cluster itself has its Cluster, and everything
// that the bootstrap cluster still holds is what was moved into this very cluster.
func (c *Create) provenMoved(ctx context.Context) (bool, error) {
	target, err := c.itself(ctx)
	if err != nil {
		return false, err
	}
	there, err := holdsCluster(ctx, target, c.record.Namespace, c.record.Name)
	if err != nil {
		return false, err
	}
	if !there {
		return false, fault.WithHint(fault.Refusedf("the cluster was moved into itself, but it has no Cluster %s now", c.key()),
			"the %s stays; look what happened there: its kubeconfig is %s", describeBootstrap(c.record.Bootstrap), c.boot.Kubeconfig())
	}
	st, err := c.boot.Status(ctx)
	if err != nil || st.State == bootstrap.Missing {
		return false, err
	}
	if err := c.boot.BringBack(ctx, within(StepPivotBootstrap, c.host.Sink)); err != nil {
		return false, err
	}
	source, err := c.management(ctx)
	if err != nil {
		return false, err
	}
	return movedInto(ctx, source, target)
}

// movedInto says whether source was moved into target as a whole.
func movedInto(ctx context.Context, source, target *kube.Client) (bool, error) {
	st, err := move.Inspect(ctx, source)
	if err != nil || st == nil || st.Phase != move.PhaseMoved {
		return false, err
	}
	uid, err := target.UID(ctx)
	return uid == st.Target.UID, err
}
