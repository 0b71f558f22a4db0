// SPDX-License-Identifier: Apache-2.0

package plan

import (
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	"github.com/clusterctl/clusterctl/pkg/capi"
)

func clusterKey(c types.NamespacedName) Key { return Key{capi.ClusterGK(), c.Namespace, c.Name} }

// left are objects that stay although one might expect them to be moved: of Cluster API, labelled, left out by a flag, or Secrets and
// ConfigMaps that look like a moved cluster's. What belongs to a cluster that stays isn't listed, only that cluster.
func (s *selection) left() []Left {
	var out []Left
	names := s.movedNames()
	kinds := map[schema.GroupKind]bool{}
	for _, n := range s.nodes {
		if n.selected() {
			kinds[n.key.GroupKind] = true
		}
	}
	for _, n := range s.nodes {
		s.steps++
		if n.selected() || n.gone {
			continue
		}
		if why := s.whyLeft(n, names, kinds); why != "" {
			out = append(out, Left{Key: n.key, Why: why})
		}
	}
	slices.SortFunc(out, func(a, b Left) int { return order(a.Key, b.Key) })
	return out
}

func (s *selection) whyLeft(n *node, names map[types.NamespacedName]bool, kinds map[schema.GroupKind]bool) string {
	flag := s.kinds.flagText(n.key)
	switch {
	case n.excluded && (n.kind.CAPI() || n.labelled() || slices.ContainsFunc(n.owners, func(o *node) bool { return o != nil && o.selected() })):
		return "left out by --exclude"
	case n.key.Namespace == "" || !s.around(n.key.Namespace):
		return ""
	case n.isCluster():
		return "it isn't one of the named clusters"
	case len(n.clusters.list) > 0 && s.someStays(n.clusters.list):
		return ""
	case n.labelled():
		return fmt.Sprintf("labelled to be moved, but nothing ties it to the named clusters; take it along with --include %s", flag)
	case n.kind.CAPI():
		return fmt.Sprintf("nothing of the move leads to it; take it along with --include %s", flag)
	case s.ofStaying(n):
		return ""
	case n.isSecretOrConfigMap() && containsName(n.name(), names):
		return fmt.Sprintf("its name has a moved cluster's in it, but nothing of the move refers to it; take it along with --include %s", flag)
	case n.isSecretOrConfigMap():
		for _, o := range n.owners {
			if o != nil && kinds[o.key.GroupKind] {
				return "owned by " + o.key.String() + ", which stays"
			}
		}
	}
	return ""
}

// someStays says whether one of some clusters exists and stays.
func (s *selection) someStays(list []types.NamespacedName) bool {
	return slices.ContainsFunc(list, func(c types.NamespacedName) bool {
		n := s.byKey[clusterKey(c)]
		return n != nil && !n.selected()
	})
}

// ofStaying says whether a Secret is called like one of a cluster that stays.
func (s *selection) ofStaying(n *node) bool {
	return n.key.GroupKind == secretGK() && slices.ContainsFunc(contractSecrets(), func(suffix string) bool {
		name, ok := strings.CutSuffix(n.key.Name, "-"+suffix)
		return ok && s.someStays([]types.NamespacedName{{Namespace: n.key.Namespace, Name: name}})
	})
}

func (s *selection) movedNames() map[types.NamespacedName]bool {
	out := map[types.NamespacedName]bool{}
	for _, n := range s.nodes {
		if n.isCluster() && n.selected() {
			out[n.name()] = true
		}
	}
	return out
}

// containsName says whether an object's name has one of some names in it, as whole words: "edge" is in "edge-pull" and in "my-edge",
// not in "edges". It tries the parts of the name, not the names: there may be thousands.
func containsName(of types.NamespacedName, names map[types.NamespacedName]bool) bool {
	if len(names) == 0 {
		return false
	}
	starts, ends := []int{0}, []int{}
	for i, c := range of.Name {
		if c == '-' || c == '.' {
			starts, ends = append(starts, i+1), append(ends, i)
		}
	}
	ends = append(ends, len(of.Name))
	const most = 24 // words; names that are longer are a hash's
	for i, from := range starts[:min(len(starts), most)] {
		for _, to := range ends[i:min(len(ends), most)] {
			if names[types.NamespacedName{Namespace: of.Namespace, Name: of.Name[from:to]}] {
				return true
			}
		}
	}
	return false
}

// dangling warns of references to objects that don't exist: the move can't bring them.
func (s *selection) dangling() {
	const most = 10
	var out []string
	for key, wishes := range s.open {
		if k, known := s.kinds[key.GroupKind]; !known || k.Namespaced && key.Namespace == "" {
			continue // owners of unknown kinds are faults; what nobody knows where to look for may be there
		}
		for _, w := range wishes {
			if w.owner == noOwner && w.of.selected() {
				out = append(out, fmt.Sprintf("%s refers to %s (%s), which isn't there", w.of.key, key, w.field))
				break
			}
		}
	}
	slices.Sort(out)
	if n := len(out) - most; n > 0 {
		out = append(out[:most], fmt.Sprintf("%d more references lead to objects that aren't there", n))
	}
	s.warnings = append(s.warnings, out...)
}

// leftReferences warns of what moves without an object that it refers to, because a flag leaves that out.
func (s *selection) leftReferences() {
	users, left := map[*node][]Key{}, []*node{}
	for _, n := range s.nodes {
		if !n.selected() {
			continue
		}
		for _, r := range n.refs {
			if r.to.excluded {
				if users[r.to] == nil {
					left = append(left, r.to)
				}
				users[r.to] = append(users[r.to], n.key)
			}
		}
	}
	for _, n := range left {
		s.warnf("%s is left out by --exclude, but is referred to by %s", n.key, some(users[n]))
	}
}
