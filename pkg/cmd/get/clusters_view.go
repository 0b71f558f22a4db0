// SPDX-License-Identifier: Apache-2.0

package get

import (
	"time"

	"github.com/clusterctl/clusterctl/pkg/capi"
)

// clusterView is a cluster as scripts see it.
type clusterView struct {
	Name      string `json:"name"`
	Namespace string `json:"namespace"`
	UID       string `json:"uid"`
	// Created is when the object was created.
	Created   time.Time `json:"created"`
	Phase     string    `json:"phase,omitempty"`
	Available bool      `json:"available"`
	Paused    bool      `json:"paused"`
	Deleting  bool      `json:"deleting"`
	// InfrastructureReady and ControlPlaneInitialized are the two steps of provisioning.
	InfrastructureReady     bool `json:"infrastructureReady"`
	ControlPlaneInitialized bool `json:"controlPlaneInitialized"`
	// Version is the Kubernetes version asked for.
	Version        string `json:"version,omitempty"`
	Class          string `json:"class,omitempty"`
	ClassNamespace string `json:"classNamespace,omitempty"`
	// Endpoint is host:port of the API server.
	Endpoint       string          `json:"endpoint,omitempty"`
	ControlPlane   replicasView    `json:"controlPlane"`
	Workers        replicasView    `json:"workers"`
	FailureReason  string          `json:"failureReason,omitempty"`
	FailureMessage string          `json:"failureMessage,omitempty"`
	Conditions     []conditionView `json:"conditions,omitempty"`
}

type replicasView struct {
	Desired   int64 `json:"desired"`
	Current   int64 `json:"current"`
	Ready     int64 `json:"ready"`
	Available int64 `json:"available"`
	UpToDate  int64 `json:"upToDate"`
}

type conditionView struct {
	Type               string    `json:"type"`
	Status             string    `json:"status"`
	Reason             string    `json:"reason,omitempty"`
	Message            string    `json:"message,omitempty"`
	LastTransitionTime time.Time `json:"lastTransitionTime,omitzero"`
}

func viewCluster(s capi.ClusterState) clusterView {
	v := clusterView{
		Name: s.Name, Namespace: s.Namespace, UID: s.UID, Created: s.Created, Phase: s.Phase,
		Available: s.Available, Paused: s.Paused, Deleting: s.Deleting,
		InfrastructureReady: s.InfrastructureReady, ControlPlaneInitialized: s.ControlPlaneInitialized,
		Version: s.Version, Class: s.ClassName, ClassNamespace: s.ClassNamespace, Endpoint: s.Endpoint,
		ControlPlane: viewReplicas(s.ControlPlane), Workers: viewReplicas(s.Workers),
		FailureReason: s.FailureReason, FailureMessage: s.FailureMessage,
	}
	for _, c := range s.Conditions {
		v.Conditions = append(v.Conditions, conditionView{c.Type, c.Status, c.Reason, c.Message, c.LastTransition})
	}
	return v
}

func viewReplicas(r capi.Replicas) replicasView {
	return replicasView{Desired: r.Desired, Current: r.Current, Ready: r.Ready, Available: r.Available, UpToDate: r.UpToDate}
}
