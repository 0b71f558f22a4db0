// SPDX-License-Identifier: Apache-2.0

package plan

import (
	"fmt"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/types"

	"github.com/clusterctl/clusterctl/pkg/capi"
)

// selection finds what belongs to a move.
type selection struct {
	*graph
	scope                     Scope
	include, exclude, orphans []matcher
	queue                     []*node
	// sets are the ClusterResourceSets, which find their clusters by labels.
	sets []*node
}

// inScope says whether a namespace is one that the move is about.
func (s *selection) inScope(namespace string) bool {
	return s.scope.All || slices.Contains(s.scope.Namespaces, namespace)
}

// around says whether a namespace is one in which the move looks for what it was told to include.
func (s *selection) around(namespace string) bool {
	return namespace == "" || s.inScope(namespace) || slices.ContainsFunc(s.scope.Clusters, func(c types.NamespacedName) bool { return c.Namespace == namespace })
}

// take puts an object into the move, once.
func (s *selection) take(n *node, format string, args ...any) {
	if n == nil || n.selected() || n.excluded {
		return
	}
	n.why, n.mode = fmt.Sprintf(format, args...), Move
	s.queue = append(s.queue, n)
}

// seed takes what the scope names itself.
func (s *selection) seed(from int) {
	for _, n := range s.nodes[from:] {
		if anyMatches(s.exclude, n) {
			n.excluded = true
		}
	}
	for _, n := range s.nodes[from:] {
		switch {
		case n.kind.CAPI() && (s.scope.All || n.key.Namespace != "" && s.inScope(n.key.Namespace)):
			s.take(n, "%s", s.reason(n))
		case n.labelled() && (n.key.Namespace != "" && s.inScope(n.key.Namespace) || s.scope.All):
			s.take(n, "labelled to be moved")
		case n.key.GroupKind == capi.ClusterGK() && slices.Contains(s.scope.Clusters, types.NamespacedName{Namespace: n.key.Namespace, Name: n.key.Name}):
			s.take(n, "named")
		case s.around(n.key.Namespace) && anyMatches(s.include, n):
			s.take(n, "included")
		}
		if n.key.Group == capi.GroupAddons && n.key.Kind == "ClusterResourceSet" && !slices.Contains(s.sets, n) {
			s.sets = append(s.sets, n)
		}
	}
}

func (s *selection) reason(n *node) string {
	if n.key.Namespace == "" {
		return "of the management cluster"
	}
	return "in namespace " + n.key.Namespace
}

// spread follows everything from what was taken, until there is nothing more to take.
func (s *selection) spread() {
	for len(s.queue) > 0 {
		n := s.queue[0]
		s.queue = s.queue[1:]
		for _, o := range n.owned {
			s.take(o, "owned by %s", n.key)
		}
		for _, r := range n.refs {
			// From one Cluster to another nothing leads: a shared object must not bring its other users along.
			if r.to.key.GroupKind != capi.ClusterGK() {
				s.take(r.to, "%s of %s", orField(r.field), n.key)
			}
		}
		for _, o := range n.owners {
			if o != nil && o.key.GroupKind != capi.ClusterGK() && o.kind.CAPI() {
				s.take(o, "owner of %s", n.key)
			}
		}
		if n.key.GroupKind == capi.ClusterGK() {
			s.cluster(n)
		}
	}
}

func orField(f string) string {
	if f == "" {
		return "reference"
	}
	return f
}

// cluster takes what belongs to a Cluster by name: what names it in label or spec, the Secrets of the contract, the sets of
// resources that were applied to it.
func (s *selection) cluster(n *node) {
	at := types.NamespacedName{Namespace: n.key.Namespace, Name: n.key.Name}
	for _, o := range s.belonging[at] {
		if o.kind.CAPI() || ofContract(o, n.key.Name) {
			s.take(o, "belongs to %s", n.key)
		}
	}
	for _, suffix := range contractSecrets() {
		o := s.byKey[Key{builtIn()[0].GroupKind(), n.key.Namespace, n.key.Name + "-" + suffix}]
		if o != nil && ofContract(o, n.key.Name) {
			s.take(o, "Secret of %s", n.key)
		}
	}
	for _, o := range s.sets {
		if o.key.Namespace == n.key.Namespace && setMatches(o.obj, n.obj) {
			s.take(o, "applied to %s", n.key)
		}
	}
	s.take(s.byKey[Key{bindingGK(), n.key.Namespace, n.key.Name}], "binds resources to %s", n.key)
}

// contractSecrets are the ends of the names of a cluster's Secrets.
// Source: Cluster API's secret package (purposes) and the contract of control plane providers.
func contractSecrets() []string {
	return []string{"kubeconfig", "user-kubeconfig", "ca", "etcd", "sa", "proxy", "apiserver-etcd-client"}
}

// ofContract says whether a Secret is a cluster's: by its exact name, never by how it begins, and not if it says itself that it
// belongs to another one ("a-ca" may be the Secret of a, or that of a cluster "a-ca").
func ofContract(n *node, cluster string) bool {
	if n.key.Kind != "Secret" || n.key.Group != "" {
		return false
	}
	if label := n.obj.GetLabels()[capi.ClusterNameLabel]; label != "" && label != cluster {
		return false
	}
	rest, ok := strings.CutPrefix(n.key.Name, cluster+"-")
	if !ok {
		return n.obj.GetLabels()[capi.ClusterNameLabel] == cluster
	}
	return slices.Contains(contractSecrets(), rest) || n.obj.GetLabels()[capi.ClusterNameLabel] == cluster || str(n.obj.Object["type"]) == capi.ClusterSecretType
}

func setMatches(set, cluster *unstructured.Unstructured) bool {
	raw, found, _ := unstructured.NestedMap(set.Object, "spec", "clusterSelector")
	if !found {
		return false
	}
	var ls metav1.LabelSelector
	if err := fromMap(raw, &ls); err != nil {
		return false
	}
	sel, err := metav1.LabelSelectorAsSelector(&ls)
	return err == nil && !sel.Empty() && sel.Matches(labels.Set(cluster.GetLabels()))
}

// modes finds what has to stay as well, because something that stays needs it.
func (s *selection) modes() (warnings []string) {
	var queue []*node
	stay := func(n *node, why string) {
		if n.selected() && n.mode == Move {
			n.mode = Copy
			n.why += "; stays too: " + why
			queue = append(queue, n)
		}
	}
	for _, n := range s.nodes {
		if n.selected() {
			if n.key.Namespace == "" && !s.scope.All {
				stay(n, "it belongs to the whole management cluster")
			}
			if n.key.Group == capi.GroupRuntime && !s.scope.All {
				stay(n, "it is for all clusters")
			}
			if o := stayingOwner(n); o != nil {
				stay(n, "owned by "+o.key.String())
				warnings = append(warnings, fmt.Sprintf("%s is owned by %s too, which stays: it is copied without that owner", n.key, o.key))
			}
			continue
		}
		if !n.kind.CAPI() {
			continue
		}
		for _, r := range n.refs {
			stay(r.to, "used by "+n.key.String())
		}
	}
	for len(queue) > 0 { // what a copy needs where it stays, stays
		n := queue[0]
		queue = queue[1:]
		for _, r := range n.refs {
			if r.to.key.GroupKind != capi.ClusterGK() {
				stay(r.to, "used by "+n.key.String())
			}
		}
		for _, o := range n.owned {
			if !slices.ContainsFunc(o.owners, func(x *node) bool { return x != nil && x.mode == Move && x.selected() }) {
				stay(o, "owned by "+n.key.String())
			}
		}
	}
	for _, n := range s.nodes {
		if n.selected() && n.mode == Copy && n.key.Group != capi.GroupIPAM && strings.HasSuffix(n.key.Kind, "Pool") && strings.Contains(n.key.Group, "ipam") {
			warnings = append(warnings, fmt.Sprintf("%s is shared with clusters that stay: two allocators of the same addresses are dangerous; give each side its own range", n.key))
		}
	}
	return warnings
}

// stayingOwner is an owner that isn't part of the move, though it is a Cluster's.
func stayingOwner(n *node) *node {
	for _, o := range n.owners {
		if o != nil && !o.selected() && o.kind.CAPI() && !o.excluded {
			return o
		}
	}
	return nil
}
