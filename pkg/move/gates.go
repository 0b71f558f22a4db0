// SPDX-License-Identifier: Apache-2.0

package move

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/clusterctl/clusterctl/pkg/capi"
	"github.com/clusterctl/clusterctl/pkg/event"
	"github.com/clusterctl/clusterctl/pkg/fault"
	"github.com/clusterctl/clusterctl/pkg/kube"
	"github.com/clusterctl/clusterctl/pkg/move/plan"
	"github.com/clusterctl/clusterctl/pkg/provider"
)

// gate is a feature gate of the providers without which their webhooks refuse objects, or nobody works on them.
type gate struct {
	name string
	// variable switches it on in the providers' components.
	variable string
	// guard is the label of the provider that knows best: where there is no source to compare with, its word counts alone.
	guard string
	needs func(*plan.Object) bool
}

func gates() []gate {
	kind := func(group, kind string) func(*plan.Object) bool {
		return func(o *plan.Object) bool { return o.GroupKind == schema.GroupKind{Group: group, Kind: kind} }
	}
	return []gate{
		{"ClusterTopology", "CLUSTER_TOPOLOGY", provider.CoreName, needsTopology},
		{"MachinePool", "EXP_MACHINE_POOL", provider.CoreName, kind(capi.GroupCore, capi.KindMachinePool)},
		{"ClusterResourceSet", "EXP_CLUSTER_RESOURCE_SET", provider.CoreName, kind(capi.GroupAddons, "ClusterResourceSet")},
		{"RuntimeSDK", "EXP_RUNTIME_SDK", provider.CoreName, kind(capi.GroupRuntime, "ExtensionConfig")},
		{"KubeadmBootstrapFormatIgnition", "EXP_KUBEADM_BOOTSTRAP_FORMAT_IGNITION", "bootstrap-kubeadm", needsIgnition},
	}
}

// needsTopology finds ClusterClasses, and the Clusters made of them.
func needsTopology(o *plan.Object) bool {
	if o.GroupKind == capi.ClusterClassGK() {
		return true
	}
	topology, ok, _ := unstructured.NestedFieldNoCopy(o.Source.Object, "spec", "topology")
	return o.GroupKind == capi.ClusterGK() && ok && topology != nil
}

// needsIgnition finds kubeadm's configurations in that format, wherever one stands.
func needsIgnition(o *plan.Object) bool {
	if (o.Group != capi.GroupBootstrap && o.Group != capi.GroupControlPlane) || !strings.HasPrefix(o.Kind, "Kubeadm") {
		return false
	}
	return slices.ContainsFunc([][]string{
		{"spec", "format"},
		{"spec", "template", "spec", "format"},
		{"spec", "kubeadmConfigSpec", "format"},
		{"spec", "template", "spec", "kubeadmConfigSpec", "format"},
	}, func(path []string) bool {
		format, _, _ := unstructured.NestedString(o.Source.Object, path...)
		return format == "ignition"
	})
}

// gates compares the feature gates that the objects need. Where the target's controllers stand still, nobody else could tell before
// the source's are down. A gate that the target doesn't name has a default that isn't known here: nothing is refused for that.
func (m *mover) gates(ctx context.Context, faults *fault.List) error {
	needed := map[string][]string{}
	for _, g := range gates() {
		for _, o := range m.plan.Objects {
			if g.needs(o) {
				needed[g.name] = append(needed[g.name], o.String())
			}
		}
	}
	if len(needed) == 0 {
		return nil
	}
	there, err := controllers(ctx, m.dst)
	if err != nil {
		return fmt.Errorf("target: %w", err)
	}
	var here map[string]map[string]bool // nil: from files, nobody knows
	if m.dir == nil {
		found, err := controllers(ctx, m.src)
		if err != nil {
			return fmt.Errorf("source: %w", err)
		}
		here = gatesOf(found)
	}
	held := slices.ContainsFunc(there, standsStill)
	for _, g := range gates() {
		if objects := needed[g.name]; len(objects) > 0 {
			m.gate(g, objects, here, there, held, faults)
		}
	}
	return nil
}

// gate judges one of them, at each of the target's Deployments. That of the source goes by the same provider and name, in whatever namespace.
func (m *mover) gate(g gate, objects []string, here map[string]map[string]bool, there []*unstructured.Unstructured, held bool, faults *fault.List) {
	for _, d := range there {
		wanted := here[identityOf(d)][g.name]
		if here == nil {
			wanted = d.GetLabels()[capi.ProviderLabel] == g.guard
		}
		if !wanted {
			continue
		}
		names := provider.FeatureGates(d)
		on, named := names[g.name]
		where := fmt.Sprintf("%s/%s of the target", d.GetNamespace(), d.GetName())
		switch {
		case on:
		case named:
			err := fault.Refusedf("the feature gate %s is off at %s, and %s needs it", g.name, where, first(objects, 3))
			faults.Add(fault.WithHint(err, "%s", g.hint(held)))
		case held && here != nil && !names["AllAlpha"] && !names["AllBeta"]:
			event.Warnf(m.o.Sink, "the feature gate %s is on at the source, and %s needs it; %s doesn't name it: if it is off by default there, the target will refuse that", g.name, first(objects, 3), where)
		}
	}
}

// hint says how to switch it on.
func (g gate) hint(held bool) string {
	hold := ""
	if held {
		hold = " --hold"
	}
	return fmt.Sprintf("switch it on there: %s=true clusterctl init%s, with the target's kubeconfig and all its providers", g.variable, hold)
}

// identityOf is a Deployment's provider and name: what it has in common with its like on another cluster.
func identityOf(d *unstructured.Unstructured) string {
	return d.GetLabels()[capi.ProviderLabel] + "/" + d.GetName()
}

// gatesOf are the gates of Deployments, by their identity. One that is on anywhere is on.
func gatesOf(list []*unstructured.Unstructured) map[string]map[string]bool {
	out := map[string]map[string]bool{}
	for _, d := range list {
		at := out[identityOf(d)]
		if at == nil {
			at = map[string]bool{}
			out[identityOf(d)] = at
		}
		for name, on := range provider.FeatureGates(d) {
			at[name] = at[name] || on
		}
	}
	return out
}

// standsStill says of a Deployment that it waits to be started by a move.
func standsStill(d *unstructured.Unstructured) bool {
	return remembered(d) > 0 && kube.Replicas(d) == 0
}
