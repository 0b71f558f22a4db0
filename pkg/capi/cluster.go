// SPDX-License-Identifier: Apache-2.0

package capi

import (
	"net"
	"strconv"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// ClusterState is what a Cluster says of itself.
type ClusterState struct {
	Name, Namespace, UID string
	// APIVersion is the version at which the object was read, ResourceVersion which state of it.
	APIVersion, ResourceVersion string
	// Created is when the object was created.
	Created time.Time
	// Phase is status.phase, for people; decisions are taken from the fields below.
	Phase string
	// Paused and Deleting are about the Cluster object itself.
	Paused, Deleting bool
	// InfrastructureReady, ControlPlaneInitialized: what provisioning waits for, in this order.
	InfrastructureReady, ControlPlaneInitialized bool
	// Available is the Available condition where there is one, else Ready, else in v1alpha2, which has
	// no conditions, that both steps of provisioning are done. A Cluster that is being deleted isn't available.
	Available bool
	// HasAvailable says whether Available comes from an Available condition, which includes the workers.
	HasAvailable bool
	// ClassName and ClassNamespace are the ClusterClass of a Cluster with a topology, else empty.
	ClassName, ClassNamespace string
	// Version is the Kubernetes version in spec.topology; empty where only the control plane object knows it.
	Version string
	// ControlPlaneRef and InfrastructureRef are nil where the Cluster has none (yet).
	ControlPlaneRef, InfrastructureRef *Ref
	// Endpoint is host:port of the API server, empty if not known yet.
	Endpoint string
	// ControlPlane and Workers are the Cluster's own counts (v1beta2 status); zero elsewhere.
	ControlPlane, Workers Replicas
	// FailureReason and FailureMessage tell of a failure that the controllers call terminal.
	FailureReason, FailureMessage string
	// Finalizers are what keeps the object while it is being deleted.
	Finalizers []string
	// Conditions are in both shapes, see [Conditions].
	Conditions []Condition
}

// Condition returns the condition of a type, nil if there is none.
func (s ClusterState) Condition(conditionType string) *Condition {
	return FindCondition(s.Conditions, conditionType)
}

// Failed says whether the controllers gave up on the Cluster.
func (s ClusterState) Failed() bool { return s.FailureReason != "" || s.FailureMessage != "" }

// ReadCluster reads a Cluster of any version.
func ReadCluster(u *unstructured.Unstructured) ClusterState {
	s := ClusterState{
		Name: u.GetName(), Namespace: u.GetNamespace(), UID: string(u.GetUID()), APIVersion: u.GetAPIVersion(),
		ResourceVersion: u.GetResourceVersion(),
		Created:         u.GetCreationTimestamp().Time, Phase: str(u, "status", "phase"),
		Paused: Paused(u), Deleting: u.GetDeletionTimestamp() != nil, Finalizers: u.GetFinalizers(),
		Version:           str(u, "spec", "topology", "version"),
		ControlPlaneRef:   RefAt(u, "spec", "controlPlaneRef"),
		InfrastructureRef: RefAt(u, "spec", "infrastructureRef"),
		Endpoint:          endpoint(u),
		ControlPlane:      countsAt(u, "controlPlane"),
		Workers:           countsAt(u, "workers"),
		Conditions:        Conditions(u),
	}
	if class := classRef(u); class != nil {
		s.ClassName, s.ClassNamespace = class.Name, class.Namespace
	}
	s.FailureReason, s.FailureMessage = FailureOf(u)
	s.InfrastructureReady = boolean(u, "status", "initialization", "infrastructureProvisioned") ||
		boolean(u, "status", "infrastructureReady")
	s.ControlPlaneInitialized = controlPlaneInitialized(u, s.Conditions)
	s.Available, s.HasAvailable = available(s)
	return s
}

// controlPlaneInitialized: a field in v1beta2 and in v1alpha2 and v1alpha3, a condition in v1alpha4 and v1beta1.
func controlPlaneInitialized(u *unstructured.Unstructured, conditions []Condition) bool {
	return boolean(u, "status", "initialization", "controlPlaneInitialized") ||
		boolean(u, "status", "controlPlaneInitialized") ||
		isTrue(conditions, ConditionControlPlaneInitialized)
}

func available(s ClusterState) (available, hasCondition bool) {
	if c := s.Condition(ConditionAvailable); c != nil {
		return c.True() && !s.Deleting, true
	}
	if c := s.Condition(ConditionReady); c != nil {
		return c.True() && !s.Deleting, false
	}
	old := strings.HasSuffix(s.APIVersion, "/v1alpha2")
	return old && s.InfrastructureReady && s.ControlPlaneInitialized && !s.Deleting && !s.Failed(), false
}

// endpoint: spec.controlPlaneEndpoint since v1alpha3, status.apiEndpoints in v1alpha2.
func endpoint(u *unstructured.Unstructured) string {
	at := &unstructured.Unstructured{Object: object(u, "spec", "controlPlaneEndpoint")}
	if str(at, "host") == "" {
		old := list(u, "status", "apiEndpoints")
		if len(old) == 0 {
			return ""
		}
		at.Object, _ = old[0].(map[string]any)
	}
	host := str(at, "host")
	port, _ := number(at, "port")
	if host == "" || port == 0 {
		return host
	}
	return net.JoinHostPort(host, strconv.FormatInt(port, 10))
}
