// SPDX-License-Identifier: Apache-2.0

package plan

import (
	"fmt"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	"github.com/clusterctl/clusterctl/pkg/capi"
	"github.com/clusterctl/clusterctl/pkg/fault"
)

// selection finds what belongs to a move.
type selection struct {
	*graph
	scope                     Scope
	include, exclude, orphans []*matcher
	// namespaces are those that the scope names, named are its clusters, near are the namespaces of both.
	namespaces, near map[string]bool
	named            map[types.NamespacedName]bool
	queue            []*node
	// sets are objects that find their clusters by labels, by namespace.
	sets     map[string][]*labelSet
	warnings []string
	// unread says why the objects of a kind couldn't be listed.
	unread map[schema.GroupKind]error
}

func newSelection(kinds Kinds, scope Scope) (*selection, error) {
	s := &selection{
		graph: newGraph(kinds), scope: scope, namespaces: map[string]bool{}, near: map[string]bool{}, named: map[types.NamespacedName]bool{},
		sets: map[string][]*labelSet{}, unread: map[schema.GroupKind]error{},
	}
	for _, ns := range scope.Namespaces {
		s.namespaces[ns], s.near[ns] = true, true
	}
	for _, c := range scope.Clusters {
		s.named[c], s.near[c.Namespace] = true, true
	}
	var faults fault.List
	var err error
	s.include, err = matchers("--include", scope.Include, kinds)
	faults.Add(err)
	s.exclude, err = matchers("--exclude", scope.Exclude, kinds)
	faults.Add(err)
	s.orphans, err = matchers("--allow-orphans", scope.AllowOrphans, kinds)
	faults.Add(err)
	return s, faults.Err()
}

// inScope says whether a namespace moves as a whole; around whether the move has to do with it at all.
func (s *selection) inScope(namespace string) bool { return s.scope.All || s.namespaces[namespace] }
func (s *selection) around(namespace string) bool  { return s.scope.All || s.near[namespace] }

// take puts an object into the move, once.
func (s *selection) take(n *node, format string, args ...any) {
	s.steps++
	if n == nil || n.selected() || n.excluded || n.gone {
		return
	}
	n.why, n.mode = fmt.Sprintf(format, args...), Move
	s.queue = append(s.queue, n)
}

// grow ties what was read since the last time and takes what belongs to the move.
func (s *selection) grow() {
	again := s.tied > 0
	fresh := s.tie()
	for _, n := range fresh {
		n.excluded = matching(s.exclude, n) != nil
		if set := readSet(n); set != nil {
			s.sets[n.key.Namespace] = append(s.sets[n.key.Namespace], set)
		}
	}
	for _, n := range fresh {
		s.seed(n)
	}
	if again { // what was followed to its end before may have got new ties
		s.queue = s.queue[:0]
		for _, n := range s.nodes {
			if n.selected() {
				s.queue = append(s.queue, n)
			}
		}
	}
	s.spread()
}

// seed takes an object that the scope names itself.
func (s *selection) seed(n *node) {
	ns := n.key.Namespace
	before := n.selected()
	m := matching(s.include, n)
	switch {
	case m != nil && (m.namespace != "" || ns == "" && m.selector == nil || ns != "" && s.around(ns)):
		n.included = true
		s.take(n, "included by %s", m.text)
	case n.isCluster() && s.named[n.name()]:
		s.take(n, "named")
	case n.kind.CAPI() && s.scope.All && ns == "":
		s.take(n, "of the whole management cluster")
	case n.kind.CAPI() && ns != "" && s.inScope(ns):
		s.take(n, "in namespace %s", ns)
	case n.labelled() && ns != "" && s.inScope(ns) || n.labelled() && s.scope.All:
		s.take(n, "labelled to be moved")
	case n.labelled() && ns != "" && s.around(ns) && len(n.clusters.list) == 0 && n.isSecretOrConfigMap() && len(n.owners) == 0:
		s.take(n, "labelled to be moved")
	}
	n.direct = n.selected() && !before
}

// ours says whether an object isn't one of clusters that stay only: such a one isn't followed, although something that moves owns it or
// is owned by it. (A pool that two clusters share owns the addresses of both.)
func (s *selection) ours(n *node) bool {
	if s.scope.All || len(n.clusters.list) == 0 {
		return true
	}
	for _, c := range n.clusters.list {
		if s.goes(c) {
			return true
		}
	}
	return false
}

// goes says whether a cluster moves.
func (s *selection) goes(c types.NamespacedName) bool {
	if n := s.byKey[Key{capi.ClusterGK(), c.Namespace, c.Name}]; n != nil {
		return n.selected()
	}
	return s.inScope(c.Namespace)
}

// spread follows everything from what was taken, until there is nothing more to take.
func (s *selection) spread() {
	for len(s.queue) > 0 {
		n := s.queue[0]
		s.queue = s.queue[1:]
		for _, o := range n.owned {
			if s.ours(o) {
				s.take(o, "owned by %s", n.key)
			}
		}
		for _, o := range n.attached {
			if s.ours(o) {
				s.take(o, "is there for %s", n.key)
			}
		}
		for _, r := range n.refs {
			if !r.to.isCluster() { // no way leads from one Cluster to another: what they share must not bring along the others that share it
				s.take(r.to, "%s of %s", r.field, n.key)
			}
		}
		for _, o := range n.owners {
			if o != nil && !o.isCluster() && o.kind.CAPI() && s.ours(o) {
				s.take(o, "owner of %s", n.key)
			}
		}
		if n.isCluster() {
			s.cluster(n)
		}
	}
}
