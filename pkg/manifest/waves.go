// SPDX-License-Identifier: Apache-2.0

package manifest

import (
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// The waves, in the order in which they are applied. Each needs what is in front of it, never what is behind.
const (
	waveNamespaces  = iota
	waveCRDs        // to be Established and served before what follows
	waveFoundations // what pods and webhooks refer to: accounts, roles, services, configuration, quotas, classes
	waveBindings    // refer to roles
	waveOthers      // built-in kinds without a wave of their own, and custom kinds whose CRD is not in the set
	waveTemplates   // what custom objects refer to: templates and classes
	waveCustom      // objects of the CRDs in the set
	waveWorkloads   // pods and what makes pods
	waveAggregation // API services: while their server isn't up, discovery is in trouble
	waveAdmission   // webhook configurations and policies: once they are there, all other requests depend on them
	waveCount
)

// Waves puts objects into an order in which each can be created without being turned down: Namespaces; CRDs;
// accounts, roles, services and configuration; role bindings; other kinds; templates and then other objects of
// the CRDs in the set; workloads; API services; admission webhooks and policies. Inside of a wave the order of the
// input is kept; it doesn't matter. Empty waves are left out.
func Waves(objs []*unstructured.Unstructured) [][]*unstructured.Unstructured {
	ours := map[schema.GroupKind]bool{}
	for _, o := range objs {
		if isCRD(o) {
			ours[crdKind(o)] = true
		}
	}
	var waves [waveCount][]*unstructured.Unstructured
	for _, o := range objs {
		w := waveOf(o.GroupVersionKind().GroupKind(), ours)
		waves[w] = append(waves[w], o)
	}
	var out [][]*unstructured.Unstructured
	for _, wave := range waves {
		if len(wave) > 0 {
			out = append(out, wave)
		}
	}
	return out
}

func waveOf(gk schema.GroupKind, ours map[schema.GroupKind]bool) int {
	switch gk.String() {
	case "Namespace":
		return waveNamespaces
	case "CustomResourceDefinition.apiextensions.k8s.io":
		return waveCRDs
	case "ServiceAccount", "Secret", "ConfigMap", "Service", "Endpoints", "LimitRange", "ResourceQuota",
		"PersistentVolume", "PersistentVolumeClaim",
		"Role.rbac.authorization.k8s.io", "ClusterRole.rbac.authorization.k8s.io",
		"PriorityClass.scheduling.k8s.io", "StorageClass.storage.k8s.io", "CSIDriver.storage.k8s.io",
		"RuntimeClass.node.k8s.io", "IngressClass.networking.k8s.io", "NetworkPolicy.networking.k8s.io":
		return waveFoundations
	case "RoleBinding.rbac.authorization.k8s.io", "ClusterRoleBinding.rbac.authorization.k8s.io":
		return waveBindings
	case "Pod", "ReplicationController", "Deployment.apps", "DaemonSet.apps", "StatefulSet.apps", "ReplicaSet.apps",
		"Job.batch", "CronJob.batch", "Deployment.extensions", "DaemonSet.extensions", "ReplicaSet.extensions":
		return waveWorkloads
	case "APIService.apiregistration.k8s.io":
		return waveAggregation
	}
	switch {
	case gk.Group == "admissionregistration.k8s.io":
		return waveAdmission
	case strings.HasSuffix(gk.Group, "cluster.x-k8s.io") && (strings.HasSuffix(gk.Kind, "Template") || gk.Kind == "ClusterClass"):
		return waveTemplates
	case ours[gk], strings.HasSuffix(gk.Group, "cluster.x-k8s.io"):
		return waveCustom
	}
	return waveOthers
}
