// SPDX-License-Identifier: Apache-2.0

package workload

import (
	"context"
	"fmt"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/clusterctl/clusterctl/pkg/capi"
	"github.com/clusterctl/clusterctl/pkg/kube"
)

// progress counts a cluster's machines.
type progress struct {
	// desired is how many the cluster asks for, existing how many Machines there are (or Nodes of MachinePools).
	desired, existing int64
	// nodes are the names of the Nodes that joined.
	nodes []string
	// settled is false while a topology may still add what asks for Machines.
	settled bool
}

func (p progress) joined() bool {
	n := int64(len(p.nodes))
	return p.settled && n >= p.desired && n >= p.existing
}

// String is for people; empty while nothing is known.
func (p progress) String() string {
	if p.desired == 0 {
		return ""
	}
	return fmt.Sprintf("%d of %d Machines have a Node", len(p.nodes), p.desired)
}

// machineProgress lists a cluster's Machines and adds the Nodes of its MachinePools. Machines that are
// being deleted don't count.
func machineProgress(ctx context.Context, c *kube.Client, s capi.ClusterState) (progress, error) {
	machines, err := listOf(ctx, c, capi.MachineGK(), s)
	if err != nil {
		return progress{}, err
	}
	p := progress{settled: settled(s)}
	standalone := int64(0)
	for _, u := range machines {
		m := capi.ReadMachine(u)
		if m.Deleting {
			continue
		}
		p.existing++
		if !hasController(u) {
			standalone++
		}
		if m.NodeName != "" {
			p.nodes = append(p.nodes, m.NodeName)
		}
	}
	groups, err := groupsOf(ctx, c, s)
	if err != nil {
		return progress{}, err
	}
	p.desired = standalone
	for _, g := range groups {
		p.desired += g.Replicas.Desired
		if g.Kind == capi.KindMachinePool {
			p.addPool(g, machines)
		}
	}
	return p, nil
}

// settled says whether everything that asks for Machines exists: with a topology, controllers make it from the class.
func settled(s capi.ClusterState) bool {
	if s.ClassName == "" {
		return s.ControlPlaneInitialized
	}
	c := s.Condition(capi.ConditionTopologyReconciled)
	return s.ControlPlaneInitialized && (c == nil || c.True())
}

// addPool counts the Nodes of a pool whose provider makes no Machines for them.
func (p *progress) addPool(g capi.GroupState, machines []*unstructured.Unstructured) {
	known := map[string]bool{}
	for _, u := range machines {
		known[capi.ReadMachine(u).NodeName] = true
	}
	for _, n := range g.NodeNames {
		if !known[n] {
			p.existing++
			p.nodes = append(p.nodes, n)
		}
	}
}

// groupsOf reads everything that asks for a number of Machines: the control plane object, MachineDeployments,
// MachinePools and MachineSets that nothing else owns.
func groupsOf(ctx context.Context, c *kube.Client, s capi.ClusterState) ([]capi.GroupState, error) {
	var out []capi.GroupState
	if s.ControlPlaneRef != nil {
		u, err := getRef(ctx, c, *s.ControlPlaneRef)
		if err != nil && !isNotFound(err) {
			return nil, err
		}
		if u != nil {
			out = append(out, capi.ReadControlPlane(u))
		}
	}
	for _, gk := range []schema.GroupKind{capi.MachineDeploymentGK(), capi.MachinePoolGK(), capi.MachineSetGK()} {
		list, err := listOf(ctx, c, gk, s)
		if err != nil {
			return nil, err
		}
		for _, u := range list {
			if !hasController(u) || gk != capi.MachineSetGK() {
				out = append(out, capi.ReadGroup(u))
			}
		}
	}
	return out, nil
}

// hasController says whether something else makes and counts the object: MachineSets and control planes control their
// Machines. A Cluster owns stand-alone Machines without controlling them.
func hasController(u *unstructured.Unstructured) bool {
	for _, ref := range u.GetOwnerReferences() {
		if ref.Controller != nil && *ref.Controller && ref.Kind != capi.KindCluster {
			return true
		}
	}
	return false
}
