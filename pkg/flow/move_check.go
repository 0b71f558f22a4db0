// SPDX-License-Identifier: Apache-2.0

package flow

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/clusterctl/clusterctl/pkg/bootstrap"
	"github.com/clusterctl/clusterctl/pkg/fault"
	"github.com/clusterctl/clusterctl/pkg/kube"
	"github.com/clusterctl/clusterctl/pkg/move"
)

// checkNoMove refuses to change anything on a management cluster whose objects are on their way: its controllers stand still, and what is
// changed or deleted there would be missing on the other side. Where nobody may look, nothing is known.
func checkNoMove(ctx context.Context, c *kube.Client) error {
	st, err := move.Inspect(ctx, c)
	if errors.Is(err, kube.ErrForbidden) {
		return nil
	}
	if err != nil || st == nil {
		return err
	}
	what := fmt.Sprintf("the move %s from %s to %s, begun %s by %s", st.ID, st.Source.Host, st.Target.Host, st.Started.Format(time.RFC3339), st.By)
	if st.Phase == move.PhaseMoved {
		return fault.WithHint(fault.Refusedf("what this management cluster holds is only to be deleted with it: %s, has taken it away", what),
			"name the cluster that it was moved to with --kubeconfig")
	}
	undo := ""
	if st.CanRollBack {
		undo = ", or undo it with clusterctl move --rollback"
	}
	return fault.WithHint(fault.Refusedf("%s, isn't finished: it is in phase %s", what, st.Phase),
		"finish it first with clusterctl move --resume%s, between those two clusters", undo)
}

// checkNoMove is that for the management cluster of a creation, unless the move is a part of it: the pivot, or the restoration of a backup.
func (c *Create) checkNoMove(ctx context.Context, client *kube.Client, p *plan) error {
	if c.record.Pivot == Pivoting || c.record.Pivot == Pivoted || p.backup != nil {
		return nil
	}
	return checkNoMove(ctx, client)
}

// moveCheckTimeout is how long the check before anything is begun waits for an answer; the steps that come ask once more.
const moveCheckTimeout = 10 * time.Second

// checkMoveFirst is that before anything is begun, where the management cluster runs already. What can't be seen now is seen by the steps.
func (c *Create) checkMoveFirst(ctx context.Context, p *plan) error {
	if p == nil {
		return nil // its own fault says why
	}
	client := c.mgmt
	if client == nil {
		if !c.resumed {
			return nil
		}
		st, err := c.boot.Status(ctx)
		if err != nil || st.State != bootstrap.Running {
			return nil // the next step makes it run, or says why not
		}
		if client, err = c.management(ctx); err != nil {
			return nil // the same
		}
		defer func() { // the next step may bring it up at another address
			client.Close()
			c.mgmt = nil
		}()
	}
	if _, err := client.Ping(ctx); err != nil {
		return nil // one that doesn't answer is another fault's, or comes up with the next step
	}
	ctx, cancel := context.WithTimeout(ctx, moveCheckTimeout)
	defer cancel()
	if err := c.checkNoMove(ctx, client, p); fault.CodeOf(err) == fault.Refused {
		return err
	}
	return nil
}
