// SPDX-License-Identifier: Apache-2.0

package capi

import "k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

// Replicas are the counts that the objects of the contract keep of their machines. A count that a version doesn't have is 0.
type Replicas struct {
	// Desired is what the spec asks for; HasDesired is false where nobody set it.
	Desired    int64
	HasDesired bool
	// Current exist, Ready of them are ready, Available of them are so for long enough, UpToDate have the newest spec.
	Current, Ready, Available, UpToDate int64
}

// GroupState is what an object that stands for several Machines says of itself: MachineDeployment, MachineSet, MachinePool,
// or a control plane object such as KubeadmControlPlane.
type GroupState struct {
	Kind, Name, Namespace, UID string
	// ClusterName is the cluster that the group belongs to.
	ClusterName string
	// Phase is status.phase; control plane objects have none.
	Phase string
	// Version is the Kubernetes version asked for, empty if the object has no such field.
	Version string
	// Paused and Deleting are about the object itself.
	Paused, Deleting bool
	// Initialized and Ready are a control plane object's: the API server answers; it serves well. Always false for groups of workers.
	Initialized, Ready bool
	// Replicas are the object's counts.
	Replicas Replicas
	// NodeNames are the Nodes of a MachinePool; other groups have Machines that know their Node.
	NodeNames []string
	// FailureReason and FailureMessage tell of a terminal failure.
	FailureReason, FailureMessage string
	// Conditions are in both shapes, see [Conditions].
	Conditions []Condition
}

// ReadGroup reads a MachineDeployment, MachineSet or MachinePool of any version.
func ReadGroup(u *unstructured.Unstructured) GroupState {
	g := GroupState{
		Kind: u.GetKind(), Name: u.GetName(), Namespace: u.GetNamespace(), UID: string(u.GetUID()),
		ClusterName: ClusterNameOf(u), Phase: str(u, "status", "phase"),
		Version: firstStr(u, []string{"spec", "version"}, []string{"spec", "template", "spec", "version"}),
		Paused:  Paused(u) || boolean(u, "spec", "paused"), Deleting: u.GetDeletionTimestamp() != nil,
		Replicas: groupReplicas(u), NodeNames: nodeNames(u), Conditions: Conditions(u),
	}
	g.FailureReason, g.FailureMessage = FailureOf(u)
	return g
}

// ReadControlPlane reads the object that a Cluster's controlPlaneRef names, of any provider and version.
func ReadControlPlane(u *unstructured.Unstructured) GroupState {
	g := ReadGroup(u)
	g.Initialized = boolean(u, "status", "initialization", "controlPlaneInitialized") || boolean(u, "status", "initialized")
	g.Ready = boolean(u, "status", "ready") || isTrue(g.Conditions, ConditionAvailable)
	return g
}

func groupReplicas(u *unstructured.Unstructured) Replicas {
	var r Replicas
	r.Desired, r.HasDesired = number(u, "spec", "replicas")
	r.Current, _ = number(u, "status", "replicas")
	r.Ready, _ = number(u, "status", "readyReplicas")
	r.Available, _ = number(u, "status", "availableReplicas")
	r.UpToDate = firstNumber(u, "status", "upToDateReplicas", "updatedReplicas")
	return r
}

func nodeNames(u *unstructured.Unstructured) []string {
	var out []string
	for _, r := range list(u, "status", "nodeRefs") {
		if m, ok := r.(map[string]any); ok {
			if name := str(&unstructured.Unstructured{Object: m}, "name"); name != "" {
				out = append(out, name)
			}
		}
	}
	return out
}

// countsAt reads the counts that a Cluster keeps in status (v1beta2) or status.v1beta2 (v1beta1).
func countsAt(u *unstructured.Unstructured, part string) Replicas {
	m := object(u, "status", part)
	if m == nil {
		m = object(u, "status", "v1beta2", part)
	}
	w := &unstructured.Unstructured{Object: m}
	var r Replicas
	r.Desired, r.HasDesired = number(w, "desiredReplicas")
	r.Current, _ = number(w, "replicas")
	r.Ready, _ = number(w, "readyReplicas")
	r.Available, _ = number(w, "availableReplicas")
	r.UpToDate, _ = number(w, "upToDateReplicas")
	return r
}

func firstNumber(u *unstructured.Unstructured, parent string, names ...string) int64 {
	for _, n := range names {
		if v, ok := number(u, parent, n); ok {
			return v
		}
	}
	return 0
}

// ClusterNameOf says which cluster an object belongs to: spec.clusterName, else the cluster name label; empty if neither is there.
func ClusterNameOf(u *unstructured.Unstructured) string {
	if name := str(u, "spec", "clusterName"); name != "" {
		return name
	}
	return u.GetLabels()[ClusterNameLabel]
}
