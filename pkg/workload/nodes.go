// SPDX-License-Identifier: Apache-2.0

package workload

import (
	"context"
	"fmt"
	"sort"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	"github.com/clusterctl/clusterctl/pkg/capi"
	"github.com/clusterctl/clusterctl/pkg/kube"
)

// WaitNodesReady waits until every Machine that the cluster asks for has a Node and every one of these Nodes is Ready, until
// ctx's deadline. workload connects to the cluster's own API server. Nodes that wait for a network plugin
// are told so.
func WaitNodesReady(ctx context.Context, c, workload *kube.Client, key types.NamespacedName, opts WaitOptions) error {
	machines := &census{c: c}
	return wait(ctx, c, key, opts, "Nodes",
		func(ctx context.Context, s capi.ClusterState) (bool, string, error) {
			p, err := machines.count(ctx, s)
			if err != nil || !p.joined() {
				return false, p.String(), err
			}
			nodes, err := workload.List(ctx, nodeGVK(), kube.ListOptions{})
			if err != nil {
				return false, "", fmt.Errorf("list the Nodes of %s: %w", key, err)
			}
			ready, reason := nodesReady(p.nodes, nodes)
			return ready, reason, nil
		})
}

// nodesReady says whether all wanted Nodes are there and Ready, else which aren't and why.
func nodesReady(wanted []string, nodes []*unstructured.Unstructured) (bool, string) {
	byName := map[string]*unstructured.Unstructured{}
	for _, n := range nodes {
		byName[n.GetName()] = n
	}
	var missing []string
	why := ""
	for _, name := range wanted {
		n := byName[name]
		if n == nil {
			missing = append(missing, name)
			why = orWord(why, "not registered")
			continue
		}
		ready := capi.FindCondition(capi.Conditions(n), capi.ConditionReady)
		if ready != nil && ready.Status == "True" {
			continue
		}
		missing = append(missing, name)
		if ready != nil {
			why = explainNode(*ready)
		}
	}
	if len(missing) == 0 {
		return true, ""
	}
	sort.Strings(missing)
	return false, fmt.Sprintf("%d of %d Nodes are Ready; not yet %s: %s",
		len(wanted)-len(missing), len(wanted), strings.Join(missing, ", "), orWord(why, "no Ready condition yet"))
}

func explainNode(c capi.Condition) string {
	text := shorten(oneLine(strings.TrimSpace(c.Reason+" "+c.Message)), shortText)
	lower := strings.ToLower(c.Message)
	if strings.Contains(lower, "network plugin") || strings.Contains(lower, "networkpluginnotready") || strings.Contains(lower, "cni") {
		return "its network plugin (CNI) isn't up; a cluster that has none needs one (--addons); " + text
	}
	return text
}

func nodeGVK() schema.GroupVersionKind { return schema.GroupVersionKind{Version: "v1", Kind: "Node"} }
