// SPDX-License-Identifier: Apache-2.0

package plan

import (
	"slices"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/clusterctl/clusterctl/pkg/fault"
)

// FromObjects makes the plan of objects that are at hand: out of files, or made up by a test. What isn't among them doesn't exist.
// Each object keeps the version that it has.
func FromObjects(objs []*unstructured.Unstructured, kinds Kinds, scope Scope) (*Plan, error) {
	s, err := selectFrom(objs, kinds, scope)
	if err != nil {
		return nil, err
	}
	return s.conclude(nil)
}

// selectFrom selects among objects.
func selectFrom(objs []*unstructured.Unstructured, kinds Kinds, scope Scope) (*selection, error) {
	if err := checkScope(scope); err != nil {
		return nil, err
	}
	all := Kinds{}
	for _, k := range builtIn() {
		all[k.GroupKind()] = k
	}
	for gk, k := range kinds {
		all[gk] = k
	}
	s, err := newSelection(all, scope)
	if err != nil {
		return nil, err
	}
	var faults fault.List
	for _, u := range objs {
		k, ok := all[u.GroupVersionKind().GroupKind()]
		switch {
		case !ok:
			faults.Add(fault.WithHint(fault.Refusedf("%s %s/%s is of a kind that isn't known here (%s)", u.GetKind(), u.GetNamespace(), u.GetName(), u.GetAPIVersion()),
				"install the provider that brings it"))
		case k.movable():
			s.add(k, u, false)
		}
	}
	s.grow()
	return s, faults.Err()
}

func checkScope(scope Scope) error {
	if !scope.All && len(scope.Namespaces) == 0 && len(scope.Clusters) == 0 {
		return fault.Usagef("nothing is named that could be moved: name clusters, a namespace, or everything")
	}
	if slices.Contains(scope.Namespaces, "") {
		return fault.Usagef("a namespace without a name can't be moved")
	}
	for _, c := range scope.Clusters {
		if c.Namespace == "" || c.Name == "" {
			return fault.Usagef("cluster %q: want a namespace and a name", c)
		}
	}
	return nil
}

// conclude makes the plan. Faults come all at once; look adds those that only the server knows of.
func (s *selection) conclude(look func(*Plan) error) (*Plan, error) {
	p, faults := s.assemble()
	s.found(p, &faults)
	if look != nil {
		faults.Add(look(p))
	}
	slices.Sort(s.warnings)
	p.Warnings = slices.Compact(s.warnings)
	if err := faults.Err(); err != nil {
		return nil, err
	}
	return p, nil
}
