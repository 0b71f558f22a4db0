// SPDX-License-Identifier: Apache-2.0

package capi

import (
	"k8s.io/apimachinery/pkg/runtime/schema"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
)

// API groups of the contract.
const (
	// GroupCore holds Cluster, Machine and what groups Machines.
	GroupCore = "cluster.x-k8s.io"
	// GroupSuffix ends every group that belongs to Cluster API or to one of its providers by convention.
	GroupSuffix = "cluster.x-k8s.io"
	// GroupInfrastructure, GroupBootstrap and GroupControlPlane hold the objects of the three kinds of providers.
	GroupInfrastructure = "infrastructure.cluster.x-k8s.io"
	GroupBootstrap      = "bootstrap.cluster.x-k8s.io"
	GroupControlPlane   = "controlplane.cluster.x-k8s.io"
	// GroupAddons holds ClusterResourceSet and its bindings.
	GroupAddons = "addons.cluster.x-k8s.io"
	// GroupIPAM holds IP address pools and claims.
	GroupIPAM = "ipam.cluster.x-k8s.io"
	// GroupRuntime holds runtime extensions.
	GroupRuntime = "runtime.cluster.x-k8s.io"
)

// Kinds of the core group.
const (
	KindCluster            = clusterv1.ClusterKind
	KindMachine            = "Machine"
	KindMachineSet         = "MachineSet"
	KindMachineDeployment  = "MachineDeployment"
	KindMachinePool        = "MachinePool"
	KindMachineHealthCheck = "MachineHealthCheck"
	KindClusterClass       = "ClusterClass"
)

// Labels and annotations of the contract.
const (
	// ClusterNameLabel names the cluster that an object belongs to.
	ClusterNameLabel = clusterv1.ClusterNameLabel
	// ControlPlaneLabel marks control plane Machines; in v1alpha2 its value was "true", later it is empty.
	ControlPlaneLabel = clusterv1.MachineControlPlaneLabel
	// ProviderLabel names the provider that a component (CRD, Deployment, …) belongs to, for example "infrastructure-docker".
	ProviderLabel = clusterv1.ProviderNameLabel
	// TopologyOwnedLabel marks what a Cluster's topology manages.
	TopologyOwnedLabel = clusterv1.ClusterTopologyOwnedLabel
	// PausedAnnotation stops the controllers of one object.
	PausedAnnotation = clusterv1.PausedAnnotation
	// ManagedByAnnotation marks infrastructure that something else than its provider looks after.
	ManagedByAnnotation = clusterv1.ManagedByAnnotation
	// ClusterFinalizer keeps a Cluster until its controller has taken it apart.
	ClusterFinalizer = clusterv1.ClusterFinalizer
	// ClusterSecretType is the type of the Secrets that controllers write for a cluster.
	ClusterSecretType = string(clusterv1.ClusterSecretType)
)

// Condition types that this project looks at.
const (
	ConditionAvailable               = clusterv1.AvailableCondition
	ConditionReady                   = clusterv1.ReadyCondition
	ConditionInfrastructureReady     = clusterv1.InfrastructureReadyCondition
	ConditionControlPlaneInitialized = clusterv1.ClusterControlPlaneInitializedCondition
	ConditionTopologyReconciled      = clusterv1.ClusterTopologyReconciledCondition
	ConditionDeleting                = clusterv1.DeletingCondition
	ConditionPaused                  = clusterv1.PausedCondition
)

// KubeconfigSecretKey is the key that holds the kubeconfig in the Secrets that [KubeconfigSecretName] and
// [UserKubeconfigSecretName] name.
const KubeconfigSecretKey = "value"

// KubeconfigSecretName names the Secret that holds the kubeconfig that the controllers themselves use.
func KubeconfigSecretName(cluster string) string { return cluster + "-kubeconfig" }

// UserKubeconfigSecretName names the Secret that some managed control planes write for people,
// because the one of the controllers is short-lived there.
func UserKubeconfigSecretName(cluster string) string { return cluster + "-user-kubeconfig" }

// ClusterGK is the group and kind of Cluster.
func ClusterGK() schema.GroupKind { return coreGK(KindCluster) }

// MachineGK is the group and kind of Machine.
func MachineGK() schema.GroupKind { return coreGK(KindMachine) }

// MachineSetGK is the group and kind of MachineSet.
func MachineSetGK() schema.GroupKind { return coreGK(KindMachineSet) }

// MachineDeploymentGK is the group and kind of MachineDeployment.
func MachineDeploymentGK() schema.GroupKind { return coreGK(KindMachineDeployment) }

// MachinePoolGK is the group and kind of MachinePool.
func MachinePoolGK() schema.GroupKind { return coreGK(KindMachinePool) }

// MachineHealthCheckGK is the group and kind of MachineHealthCheck.
func MachineHealthCheckGK() schema.GroupKind { return coreGK(KindMachineHealthCheck) }

// ClusterClassGK is the group and kind of ClusterClass.
func ClusterClassGK() schema.GroupKind { return coreGK(KindClusterClass) }

func coreGK(kind string) schema.GroupKind { return schema.GroupKind{Group: GroupCore, Kind: kind} }
