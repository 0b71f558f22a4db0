// SPDX-License-Identifier: Apache-2.0

package graph

import (
	"fmt"
	"strings"
)

// Kind is one of the kinds that the graphs are made of.
type Kind struct {
	Group, Version, Kind string
	Cluster              bool
}

// APIVersion is group/version.
func (k Kind) APIVersion() string { return k.Group + "/" + k.Version }

// Plural is the name of the resource.
func (k Kind) Plural() string { return strings.ToLower(k.Kind) + "s" }

// The groups and version of the graphs.
const (
	Core           = "cluster.x-k8s.io"
	Infrastructure = "infrastructure.cluster.x-k8s.io"
	Bootstrap      = "bootstrap.cluster.x-k8s.io"
	ControlPlane   = "controlplane.cluster.x-k8s.io"
	Version        = "v1beta2"
)

// Kinds lists them all, in a version: Version, or an older one.
func Kinds(version string) []Kind {
	return []Kind{
		{Core, version, "Cluster", false},
		{Core, version, "Machine", false},
		{Core, version, "MachineSet", false},
		{Core, version, "MachineDeployment", false},
		{Core, version, "MachineHealthCheck", false},
		{Infrastructure, version, "PondCluster", false},
		{Infrastructure, version, "PondMachine", false},
		{Infrastructure, version, "PondMachineTemplate", false},
		{Infrastructure, version, "PondIdentity", true},
		{Bootstrap, version, "KubeadmConfig", false},
		{Bootstrap, version, "KubeadmConfigTemplate", false},
		{ControlPlane, version, "KubeadmControlPlane", false},
	}
}

// CRDs are the definitions of the kinds, as one YAML stream. They carry no label of clusterctl's.
func CRDs(version string) string { return crds(version, "{}") }

// LabelledCRDs are those with the labels and the inventory that upstream's clusterctl needs to see them.
func LabelledCRDs(version string) string {
	return crds(version, `{clusterctl.cluster.x-k8s.io: "", cluster.x-k8s.io/v1beta2: v1beta2}`) + inventory
}

const inventory = `---
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata:
  name: providers.clusterctl.cluster.x-k8s.io
  labels: {clusterctl.cluster.x-k8s.io: "", clusterctl.cluster.x-k8s.io/core: inventory}
spec:
  group: clusterctl.cluster.x-k8s.io
  scope: Namespaced
  names: {kind: Provider, listKind: ProviderList, plural: providers, singular: provider}
  versions:
  - name: v1alpha3
    served: true
    storage: true
    schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}
---
apiVersion: clusterctl.cluster.x-k8s.io/v1alpha3
kind: Provider
metadata:
  name: cluster-api
  namespace: capi-system
  labels: {clusterctl.cluster.x-k8s.io: "", clusterctl.cluster.x-k8s.io/core: inventory, cluster.x-k8s.io/provider: cluster-api}
providerName: cluster-api
type: CoreProvider
version: v1.14.2
`

func crds(version, labels string) string {
	var b strings.Builder
	for _, k := range Kinds(version) {
		scope := "Namespaced"
		if k.Cluster {
			scope = "Cluster"
		}
		fmt.Fprintf(&b, `---
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: %[1]s.%[2]s, labels: %[7]s}
spec:
  group: %[2]s
  scope: %[3]s
  names: {kind: %[4]s, listKind: %[4]sList, plural: %[1]s, singular: %[5]s}
  versions:
  - name: %[6]s
    served: true
    storage: true
    subresources: {status: {}}
    schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}
`, k.Plural(), k.Group, scope, k.Kind, strings.ToLower(k.Kind), k.Version, labels)
	}
	return b.String()
}
