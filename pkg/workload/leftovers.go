// SPDX-License-Identifier: Apache-2.0

package workload

import (
	"context"
	"fmt"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/types"

	"github.com/clusterctl/clusterctl/pkg/capi"
	"github.com/clusterctl/clusterctl/pkg/kube"
)

// maxListed is how many objects are named in a text; the rest is counted.
const maxListed = 20

// lines names the objects, one line each.
func (b Belongings) lines(prefix string) []string {
	var out []string
	for i, o := range b.Objects {
		if i == maxListed {
			out = append(out, fmt.Sprintf("%s%d more", prefix, len(b.Objects)-maxListed))
			break
		}
		out = append(out, prefix+o.String())
	}
	return out
}

// Report names leftovers and says how to go on, a line each; none if nothing is left.
func (b Belongings) Report() []string {
	if len(b.Objects) == 0 {
		return nil
	}
	out := b.lines("left over: ")
	first := b.Objects[0]
	resource := strings.ToLower(first.GVK.Kind)
	if first.GVK.Group != "" {
		resource += "." + first.GVK.Group
	}
	return append(out, fmt.Sprintf("check that nothing needs them, then delete them, for example: kubectl delete %s %s -n %s", resource, first.Name, first.Namespace))
}

// settle lists what still belongs to a Cluster that is gone. Where a garbage collector runs, owned objects go a moment after
// their owner: they are given that moment.
func settle(ctx context.Context, c *kube.Client, key types.NamespacedName, uid types.UID, patience time.Duration) (Belongings, error) {
	end := time.Now().Add(patience)
	for {
		left, err := FindBelongings(ctx, c, key, uid)
		if err != nil {
			return left, fmt.Errorf("look for leftovers: %w", err)
		}
		if len(left.Objects) == 0 || time.Now().After(end) {
			return left, nil
		}
		select {
		case <-ctx.Done():
			return left, nil // the Cluster is gone, that was the task
		case <-time.After(patience / 5):
		}
	}
}

// Preview is what a deletion would take away.
type Preview struct {
	// Cluster is the Cluster itself.
	Cluster capi.ClusterState
	// Belongings go with it, or are in its way.
	Belongings
	// Counts are the Belongings by kind.
	Counts []KindCount
}

// KindCount is how many objects there are of a kind.
type KindCount struct {
	Kind  string
	Count int
}

// PreviewDeletion says what [Delete] would lead to. It returns a *NotFoundError where there is no such Cluster.
func PreviewDeletion(ctx context.Context, c *kube.Client, key types.NamespacedName) (Preview, error) {
	u, err := findForDeletion(ctx, c, key)
	if err != nil {
		return Preview{}, err
	}
	p := Preview{Cluster: capi.ReadCluster(u)}
	if p.Belongings, err = FindBelongings(ctx, c, key, u.GetUID()); err != nil {
		return Preview{}, err
	}
	for _, o := range p.Objects {
		if n := len(p.Counts); n > 0 && p.Counts[n-1].Kind == o.GVK.Kind {
			p.Counts[n-1].Count++
		} else {
			p.Counts = append(p.Counts, KindCount{Kind: o.GVK.Kind, Count: 1})
		}
	}
	return p, nil
}

// Summary is one line: "Cluster team-a/heron with 3 Machines, 1 PondCluster".
func (p Preview) Summary() string {
	var parts []string
	for _, k := range p.Counts {
		kind := k.Kind
		if k.Count > 1 {
			kind += "s"
		}
		parts = append(parts, fmt.Sprintf("%d %s", k.Count, kind))
	}
	text := fmt.Sprintf("Cluster %s/%s", p.Cluster.Namespace, p.Cluster.Name)
	if len(parts) > 0 {
		text += " with " + strings.Join(parts, ", ")
	}
	return text
}
