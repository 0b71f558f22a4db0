// SPDX-License-Identifier: Apache-2.0

package workload

import (
	"slices"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/clusterctl/clusterctl/pkg/capi"
	"github.com/clusterctl/clusterctl/pkg/manifest"
)

// FirstMachine is the set without the Machines that can wait until the cluster manages itself: all but the first control plane Machine,
// the way the first clusterctl did it, and what only those that wait refer to. A set that nothing can be left out of comes back as it is.
func (s *Set) FirstMachine() *Set {
	waits := map[schema.GroupKind]bool{capi.MachineSetGK(): true, capi.MachineDeploymentGK(): true, capi.MachinePoolGK(): true}
	var held []manifest.Object
	first := capi.ReadCluster(s.Cluster.Unstructured).ControlPlaneRef != nil // then no Machine of the files is needed
	for _, o := range s.Objects {
		gk := o.GroupVersionKind().GroupKind()
		switch {
		case waits[gk]:
			held = append(held, o)
		case gk != capi.MachineGK():
		case !first && !isWorker(o):
			first = true
		default:
			held = append(held, o)
		}
	}
	if len(held) == 0 {
		return s
	}
	out := *s
	out.Objects, out.Later = s.without(held), nil
	return &out
}

// without gives the objects but those held, and those that only they need.
func (s *Set) without(held []manifest.Object) []manifest.Object {
	needed := s.reach(held)
	roots := slices.DeleteFunc(slices.Clone(s.Objects), func(o manifest.Object) bool { return contains(held, o) || contains(needed, o) })
	kept := append(roots, s.reach(roots)...)
	return slices.DeleteFunc(slices.Clone(s.Objects), func(o manifest.Object) bool { return !contains(kept, o) })
}

// reach finds the objects of the set that some refer to, directly or through others.
func (s *Set) reach(from []manifest.Object) []manifest.Object {
	var out []manifest.Object
	for next := slices.Clone(from); len(next) > 0; {
		o := next[0]
		next = next[1:]
		for _, ref := range capi.Refs(o.Unstructured) {
			for _, to := range s.Objects {
				if to.GroupVersionKind().GroupKind() == ref.GroupKind() && to.GetName() == ref.Name && !contains(out, to) && !contains(from, to) {
					out, next = append(out, to), append(next, to)
				}
			}
		}
	}
	return out
}

func contains(objs []manifest.Object, o manifest.Object) bool {
	return slices.ContainsFunc(objs, func(other manifest.Object) bool { return other.Unstructured == o.Unstructured })
}
