// SPDX-License-Identifier: Apache-2.0

package capi

import (
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// MachineState is what a Machine says of itself.
type MachineState struct {
	Name, Namespace, UID string
	// ClusterName is the cluster that the Machine belongs to.
	ClusterName string
	// Phase is status.phase, for people.
	Phase string
	// NodeName is the Node that runs on the Machine, empty until it has joined.
	NodeName string
	// ProviderID identifies the Machine at its provider, empty until it is there.
	ProviderID string
	// Version is the Kubernetes version asked for.
	Version string
	// ControlPlane is whether the Machine carries the control plane label, with any value.
	ControlPlane bool
	// BootstrapReady and InfrastructureReady: what a Machine waits for, in this order.
	BootstrapReady, InfrastructureReady bool
	// Ready is the Ready condition where the version has one, else that the Node has joined.
	Ready bool
	// Failed is a failure that the controllers call terminal; Message says why, or what the Machine waits for.
	Failed  bool
	Message string
	// Paused and Deleting are about the Machine itself; DeletingSince is zero unless Deleting.
	Paused, Deleting bool
	DeletingSince    time.Time
	// Deletion says what a Machine's deletion is waiting for, empty if unknown or not deleting.
	Deletion string
	// BootstrapRef and InfrastructureRef are nil where the Machine has none.
	BootstrapRef, InfrastructureRef *Ref
	// Finalizers are what keeps the object while it is being deleted.
	Finalizers []string
	// Conditions are in both shapes, see [Conditions].
	Conditions []Condition
}

// ReadMachine reads a Machine of any version.
func ReadMachine(u *unstructured.Unstructured) MachineState {
	_, controlPlane := u.GetLabels()[ControlPlaneLabel]
	s := MachineState{
		Name: u.GetName(), Namespace: u.GetNamespace(), UID: string(u.GetUID()), ClusterName: ClusterNameOf(u),
		Phase: str(u, "status", "phase"), NodeName: str(u, "status", "nodeRef", "name"),
		ProviderID: str(u, "spec", "providerID"), Version: str(u, "spec", "version"), ControlPlane: controlPlane,
		Paused: Paused(u), Deleting: u.GetDeletionTimestamp() != nil, Finalizers: u.GetFinalizers(),
		BootstrapRef:      RefAt(u, "spec", "bootstrap", "configRef"),
		InfrastructureRef: RefAt(u, "spec", "infrastructureRef"),
		Conditions:        Conditions(u),
	}
	if t := u.GetDeletionTimestamp(); t != nil {
		s.DeletingSince = t.Time
	}
	s.BootstrapReady = boolean(u, "status", "initialization", "bootstrapDataSecretCreated") || boolean(u, "status", "bootstrapReady")
	s.InfrastructureReady = boolean(u, "status", "initialization", "infrastructureProvisioned") || boolean(u, "status", "infrastructureReady")
	reason, message := FailureOf(u)
	s.Failed = reason != "" || message != ""
	s.Ready = machineReady(s)
	s.Message = machineMessage(s, reason, message)
	s.Deletion = machineDeletion(u, s)
	return s
}

// machineReady: v1alpha2 has no conditions, a Node that joined is all there is.
func machineReady(s MachineState) bool {
	if s.Failed || s.Deleting {
		return false
	}
	if c := FindCondition(s.Conditions, ConditionReady); c != nil {
		return c.True()
	}
	return s.NodeName != ""
}

func machineMessage(s MachineState, reason, message string) string {
	switch {
	case s.Failed && message != "":
		return message
	case s.Failed:
		return reason
	}
	if c := FindCondition(s.Conditions, ConditionReady); c != nil && !c.True() {
		if c.Message != "" {
			return c.Message
		}
		return c.Reason
	}
	return ""
}

// machineDeletion: the Deleting condition since v1beta2's conditions, before that the conditions of the single phases.
func machineDeletion(u *unstructured.Unstructured, s MachineState) string {
	if !s.Deleting {
		return ""
	}
	if c := FindCondition(s.Conditions, ConditionDeleting); c != nil && c.Status == "True" {
		return joinReason(c.Reason, c.Message)
	}
	for _, t := range []string{"PreDrainDeleteHookSucceeded", "DrainingSucceeded", "VolumeDetachSucceeded", "PreTerminateDeleteHookSucceeded"} {
		if c := FindCondition(s.Conditions, t); c != nil && c.Status != "True" {
			return joinReason(c.Reason, c.Message)
		}
	}
	switch {
	case str(u, "status", "deletion", "waitForNodeVolumeDetachStartTime") != "":
		return "waiting for volumes to be detached"
	case str(u, "status", "deletion", "nodeDrainStartTime") != "":
		return "draining the node"
	}
	return ""
}

func joinReason(reason, message string) string {
	switch {
	case message == "":
		return reason
	case reason == "":
		return message
	}
	return reason + ": " + message
}
