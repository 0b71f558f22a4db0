// SPDX-License-Identifier: Apache-2.0

package plan

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/types"

	"github.com/clusterctl/clusterctl/pkg/fault"
)

// ErrNothing says that what was asked for isn't there. Where it is all that is wrong, a move of it may have come to its end.
var ErrNothing = errors.New("nothing to move")

// absent is such a fault, in its own words.
type absent struct{ error }

func (absent) Is(target error) bool { return target == ErrNothing }

func (a absent) Unwrap() error { return a.error }

func nothing(format string, args ...any) error { return absent{fault.Refusedf(format, args...)} }

// found wants every named cluster and every included object to be in the plan, and the plan not to be empty. Where it isn't so, it says
// where clusters are.
func (s *selection) found(p *Plan, faults *fault.List) {
	clusters := s.allClusters()
	for _, c := range s.scope.Clusters {
		switch n := s.byKey[clusterKey(c)]; {
		case n == nil:
			faults.Add(fault.WithHint(nothing("there is no Cluster %s", c), "%s", whereClusters(c, clusters)))
		case n.excluded:
			faults.Add(fault.Usagef("Cluster %s is named and left out by --exclude at once", c))
		}
	}
	for _, m := range s.include {
		if m.hits == 0 {
			faults.Add(fault.WithHint(fault.Refusedf("--include %s: there is no such object", m.text),
				"kinds and selectors look in the namespaces of the move only; KIND/NAMESPACE/NAME looks anywhere"))
		}
	}
	for _, m := range s.exclude {
		if m.hits == 0 {
			s.warnf("--exclude %s leaves nothing out: there is no such object", m.text)
		}
	}
	if len(p.Objects) == 0 && len(faults.Faults) == 0 {
		where := "on the management cluster"
		if !s.scope.All {
			where = "in namespace " + strings.Join(s.scope.Namespaces, ", ")
		}
		faults.Add(fault.WithHint(nothing("nothing to move: there is no object of Cluster API %s", where), "%s", whereClusters(types.NamespacedName{}, clusters)))
		return
	}
	for _, ns := range s.scope.Namespaces {
		if !s.scope.All && len(p.Objects) > 0 && !slices.Contains(p.Namespaces, ns) {
			s.warnf("there is nothing to move in namespace %s", ns)
		}
	}
}

// allClusters are those that were seen, sorted.
func (s *selection) allClusters() (out []types.NamespacedName) {
	for _, n := range s.nodes {
		if n.isCluster() {
			out = append(out, n.name())
		}
	}
	slices.SortFunc(out, func(a, b types.NamespacedName) int { return cmp.Compare(a.String(), b.String()) })
	return out
}

// whereClusters says where a cluster of that name is, else which there are in its namespace, else which there are at all.
func whereClusters(wanted types.NamespacedName, clusters []types.NamespacedName) string {
	var same, near, all []string
	for _, c := range clusters {
		if c.Name == wanted.Name {
			same = append(same, c.Namespace)
		}
		if c.Namespace == wanted.Namespace {
			near = append(near, c.Name)
		}
		all = append(all, c.String())
	}
	switch {
	case len(all) == 0:
		return "this management cluster has no Cluster at all: is it the right kubeconfig?"
	case len(same) > 0:
		return "there is one of that name in namespace " + strings.Join(same, ", ")
	case len(near) > 0:
		return fmt.Sprintf("namespace %s has %s", wanted.Namespace, few(near))
	}
	return "there are " + few(all)
}

func few(list []string) string {
	const most = 10
	if len(list) > most {
		return fmt.Sprintf("%s and %d more", strings.Join(list[:most], ", "), len(list)-most)
	}
	return strings.Join(list, ", ")
}
