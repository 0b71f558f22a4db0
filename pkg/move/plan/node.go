// SPDX-License-Identifier: Apache-2.0

package plan

import (
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"

	"github.com/clusterctl/clusterctl/pkg/capi"
)

// node is an object with what ties it to others.
type node struct {
	key  Key
	kind Kind
	obj  *unstructured.Unstructured
	// outline says that only the metadata were read.
	outline bool
	// owners are those of ownerReferences, nil where there is no such object; owned is the other direction.
	owners []*node
	owned  []*node
	// refs are what the spec refers to; attached are objects that are there for this one.
	refs     []tie
	attached []*node
	// clusters are those that the object belongs to.
	clusters clusterSet
	// why says how it came into the plan; empty while it isn't.
	why  string
	mode Mode
	// excluded and included say that a flag names it; direct says that it is in the plan by itself: by its scope, by a flag, by label.
	// gone says that it was deleted while it was being read.
	excluded, included, direct, gone bool
}

// tie is a reference that leads to an object.
type tie struct {
	field string
	to    *node
}

func (n *node) selected() bool { return n.why != "" }

func (n *node) isCluster() bool { return n.key.GroupKind == capi.ClusterGK() }

func (n *node) isSecretOrConfigMap() bool { return n.kind.CRD == "" }

func (n *node) name() types.NamespacedName {
	return types.NamespacedName{Namespace: n.key.Namespace, Name: n.key.Name}
}

// labelled says whether the object, or its kind, asks to be moved.
func (n *node) labelled() bool {
	if n.kind.labelled() {
		return true
	}
	labels, _ := field(n.obj.Object, "metadata", "labels").(map[string]any)
	_, move := labels[moveLabel]
	_, hierarchy := labels[hierarchyLabel]
	return move || hierarchy
}
