// SPDX-License-Identifier: Apache-2.0

package workload

import (
	"context"
	"fmt"
	"time"

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

// census counts a cluster's machines again and again. The Machines are listed every time; what asks for them is read
// again only when the Cluster has changed or enough time has passed.
type census struct {
	c       *kube.Client
	groups  []capi.GroupState
	version string
	looked  time.Time
}

// count lists the Machines and adds the Nodes of MachinePools. Machines that are being deleted don't count.
func (k *census) count(ctx context.Context, s capi.ClusterState) (progress, error) {
	if k.looked.IsZero() || s.ResourceVersion != k.version || time.Since(k.looked) > lookAgain {
		groups, err := groupsOf(ctx, k.c, s)
		if err != nil {
			return progress{}, err
		}
		k.groups, k.version, k.looked = groups, s.ResourceVersion, time.Now()
	}
	machines, err := listOf(ctx, k.c, capi.MachineGK(), s)
	if err != nil {
		return progress{}, err
	}
	p := progress{settled: settled(s)}
	for _, u := range machines {
		p.addMachine(u)
	}
	for _, g := range k.groups {
		p.desired += g.Replicas.Desired
		if g.Kind == capi.KindMachinePool {
			p.addPool(g, machines)
		}
	}
	return p, nil
}

func (p *progress) addMachine(u *unstructured.Unstructured) {
	m := capi.ReadMachine(u)
	if m.Deleting {
		return
	}
	p.existing++
	if !hasController(u) {
		p.desired++
	}
	if m.NodeName != "" {
		p.nodes = append(p.nodes, m.NodeName)
	}
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
