// SPDX-License-Identifier: Apache-2.0

package move

import (
	"context"

	"github.com/clusterctl/clusterctl/pkg/fault"
	"github.com/clusterctl/clusterctl/pkg/kube"
)

// StartAgain starts the controllers that a move has left at 0, because nothing was left to manage there, and says how many it started:
// for a management cluster that goes on to be one. It refuses, with an error of class fault.Refused, while a move is under way there.
func StartAgain(ctx context.Context, c *kube.Client) (int, error) {
	st, err := Inspect(ctx, c)
	if err != nil {
		return 0, err
	}
	if st != nil {
		return 0, fault.Refusedf("a move is under way on %s: its controllers can't be started", c.Host())
	}
	found, err := controllers(ctx, c)
	if err != nil {
		return 0, err
	}
	started := 0
	for _, d := range found {
		n := remembered(d)
		if n == 0 || kube.Replicas(d) != 0 {
			continue
		}
		if err := scale(ctx, c, Controller{Namespace: d.GetNamespace(), Name: d.GetName(), UID: d.GetUID()}, n, 0); err != nil {
			return started, err
		}
		started++
	}
	return started, nil
}
