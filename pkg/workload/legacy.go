// SPDX-License-Identifier: Apache-2.0

package workload

import (
	"github.com/clusterctl/clusterctl/pkg/capi"
	"github.com/clusterctl/clusterctl/pkg/fault"
	"github.com/clusterctl/clusterctl/pkg/manifest"
)

// LoadLegacy loads a cluster the way clusterctl v0.2 took it: one file with the Cluster and what it refers to, one with the
// Machines (and MachineSets and MachineDeployments) and what they refer to. Control plane Machines are applied first,
// workers afterwards. All faults come in one error of class fault.Usage, with file and line.
func LoadLegacy(cluster, machines []manifest.Object, opts LoadOptions) (*Set, error) {
	if extra := clustersIn(machines); len(extra) > 0 {
		return nil, fault.Usagef("load machines: Cluster %s (%s) belongs into the cluster file", extra[0].GetName(), extra[0].Origin)
	}
	all := append(append([]manifest.Object{}, cluster...), machines...)
	s, err := Load(all, opts)
	if err != nil {
		return nil, err
	}
	var first []manifest.Object
	for _, o := range all {
		if isWorker(o) {
			s.Later = append(s.Later, o)
		} else {
			first = append(first, o)
		}
	}
	s.Objects = append(first, s.Later...)
	return s, checkLegacyMachines(s)
}

// isWorker says whether an object can wait for the control plane; everything but Machines comes with the control plane.
func isWorker(o manifest.Object) bool {
	switch o.GroupVersionKind().GroupKind() {
	case capi.MachineSetGK(), capi.MachineDeploymentGK(), capi.MachinePoolGK():
		return true
	case capi.MachineGK():
		return !capi.ReadMachine(o.Unstructured).ControlPlane
	}
	return false
}

func checkLegacyMachines(s *Set) error {
	var faults fault.List
	controlPlanes := 0
	for _, o := range s.Objects {
		switch o.GroupVersionKind().GroupKind() {
		case capi.MachineGK(), capi.MachineSetGK(), capi.MachineDeploymentGK(), capi.MachinePoolGK():
		default:
			continue
		}
		if o.GetKind() == capi.KindMachine && !isWorker(o) {
			controlPlanes++
		}
		switch owner := capi.ClusterNameOf(o.Unstructured); owner {
		case s.Name:
		case "":
			faults.Add(fault.Usagef("%s %s (%s) belongs to no cluster: set spec.clusterName: %s", o.GetKind(), o.GetName(), o.Origin, s.Name))
		default:
			faults.Add(fault.Usagef("%s %s (%s) belongs to cluster %s, not to %s", o.GetKind(), o.GetName(), o.Origin, owner, s.Name))
		}
	}
	if controlPlanes == 0 && capi.ReadCluster(s.Cluster.Unstructured).ControlPlaneRef == nil {
		faults.Add(fault.WithHint(fault.Usagef("load machines: there is no control plane: no Machine has the label %s, and Cluster %s (%s) has no controlPlaneRef",
			capi.ControlPlaneLabel, s.Name, s.Cluster.Origin), "label at least one Machine with %s", capi.ControlPlaneLabel))
	}
	return faults.Err()
}
