// SPDX-License-Identifier: Apache-2.0

package kind

import (
	"context"
	"fmt"
	"strings"

	"github.com/clusterctl/clusterctl/pkg/fault"
)

// explainOffline adds to an error of an API server that its nodes were taken off the engine's network: waiting longer doesn't help then.
func (c *Cluster) explainOffline(ctx context.Context, e engine, rec *record, err error) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), pingTimeout)
	defer cancel()
	nodes, listErr := c.ours(ctx, e, rec)
	if listErr != nil {
		return err
	}
	var off []string
	for _, n := range nodes {
		if n.running() && e.offline(ctx, n.ID) {
			off = append(off, n.Name)
		}
	}
	if len(off) == 0 {
		return err
	}
	names := strings.Join(off, " ")
	return fault.WithHint(fmt.Errorf("%w (somebody took it off the container engine's network: %s)", err, names),
		"connect it again: %[1]s network connect kind %[2]s, and then: %[1]s restart %[2]s", e.name(), off[0])
}

// offline says whether a container has no network. Where the engine doesn't tell, it has one.
func (e *cli) offline(ctx context.Context, id string) bool {
	out, err := e.run(ctx, nil, "inspect", "--type", "container", "--format", "{{json .NetworkSettings.Networks}}", id)
	return err == nil && strings.TrimSpace(out) == "{}"
}
