// SPDX-License-Identifier: Apache-2.0

package plan

import (
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/clusterctl/clusterctl/pkg/capi"
)

func bindingGK() schema.GroupKind {
	return schema.GroupKind{Group: capi.GroupAddons, Kind: "ClusterResourceSetBinding"}
}

// cluster takes what belongs to a Cluster by name or by label: what names it in label or spec, the Secrets of the contract, the sets of
// resources that are applied to it.
func (s *selection) cluster(n *node) {
	for _, o := range s.byCluster[n.name()] {
		if o.kind.CAPI() || o.isSecretOrConfigMap() {
			s.take(o, "belongs to %s", n.key)
		}
	}
	for _, suffix := range contractSecrets() {
		o := s.byKey[Key{secretGK(), n.key.Namespace, n.key.Name + "-" + suffix}]
		if o != nil && s.ofContract(o, n, suffix) {
			s.assign(o, n.name())
			s.take(o, "Secret of %s", n.key)
		}
	}
	for _, set := range s.sets[n.key.Namespace] {
		s.steps++
		if set.matches(n) {
			s.take(set.node, "applied to %s", n.key)
		}
	}
}

const userKubeconfig = "user-kubeconfig"

// contractSecrets are the ends of the names of a cluster's Secrets.
// Source: Cluster API's secret package (purposes) and the contract of control plane providers.
func contractSecrets() []string {
	return []string{"kubeconfig", userKubeconfig, "ca", "etcd", "sa", "proxy", "apiserver-etcd-client"}
}

// ofContract says whether a Secret that is called like one of a cluster is its own. One that is owned by another cluster, or labelled
// for it, isn't; and "a-user-kubeconfig" is cluster a-user's, if there is such a cluster.
func (s *selection) ofContract(o, cluster *node, suffix string) bool {
	if len(o.clusters.list) > 0 {
		return slices.Contains(o.clusters.list, cluster.name())
	}
	if suffix == userKubeconfig {
		other := cluster.key
		other.Name += "-" + strings.TrimSuffix(userKubeconfig, "-kubeconfig")
		return s.byKey[other] == nil
	}
	return true
}

// labelSet is an object that finds its clusters by their labels: a ClusterResourceSet, or what add-on providers have like it.
type labelSet struct {
	node     *node
	selector labels.Selector
}

// readSet is nil for an object that isn't one. A selector that is empty or malformed selects nothing, as it does for the controllers.
func readSet(n *node) *labelSet {
	if n.outline || n.key.Group != capi.GroupAddons || n.key.Namespace == "" {
		return nil
	}
	raw, ok := field(n.obj.Object, "spec", "clusterSelector").(map[string]any)
	if !ok {
		return nil
	}
	var ls metav1.LabelSelector
	if err := fromMap(raw, &ls); err != nil {
		return nil
	}
	sel, err := metav1.LabelSelectorAsSelector(&ls)
	if err != nil || sel.Empty() {
		return nil
	}
	return &labelSet{n, sel}
}

func (s *labelSet) matches(cluster *node) bool {
	return s.selector.Matches(labels.Set(cluster.obj.GetLabels()))
}
