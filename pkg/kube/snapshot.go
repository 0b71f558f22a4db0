// SPDX-License-Identifier: Apache-2.0

package kube

import (
	"maps"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/version"
)

// snapshot is which kinds a server serves. It is never changed once it is shared.
type snapshot struct {
	// versions of each group, the preferred one first
	versions map[string][]string
	// kinds of each group version; the subresources that discovery lists as well aren't in it
	resources map[schema.GroupVersion]map[string]metav1.APIResource
	failed    map[schema.GroupVersion]error
}

func newSnapshot(found []groupVersion) *snapshot {
	s := &snapshot{
		versions: map[string][]string{}, resources: map[schema.GroupVersion]map[string]metav1.APIResource{}, failed: map[schema.GroupVersion]error{},
	}
	for _, gv := range found {
		if gv.err != nil {
			s.failed[gv.GroupVersion] = gv.err
			continue
		}
		s.versions[gv.Group] = append(s.versions[gv.Group], gv.Version)
		s.put(gv.kinds)
	}
	return s
}

func (s *snapshot) put(l *metav1.APIResourceList) {
	gv, err := schema.ParseGroupVersion(l.GroupVersion)
	if err != nil {
		return
	}
	kinds := map[string]metav1.APIResource{}
	for _, r := range l.APIResources {
		if _, known := kinds[r.Kind]; !known && !strings.Contains(r.Name, "/") {
			kinds[r.Kind] = r
		}
	}
	s.resources[gv] = kinds
}

// with returns a copy that also has what a newer list says; versions of its group are ordered the way the server does it for CRDs.
func (s *snapshot) with(l *metav1.APIResourceList) *snapshot {
	out := &snapshot{versions: maps.Clone(s.versions), resources: maps.Clone(s.resources), failed: s.failed}
	gv, err := schema.ParseGroupVersion(l.GroupVersion)
	if err != nil {
		return s
	}
	if !slices.Contains(out.versions[gv.Group], gv.Version) {
		all := append(slices.Clone(out.versions[gv.Group]), gv.Version)
		slices.SortStableFunc(all, func(a, b string) int { return -version.CompareKubeAwareVersionStrings(a, b) })
		out.versions[gv.Group] = all
	}
	out.put(l)
	return out
}

// without returns a copy that has lost the versions of a kind that its CRD doesn't serve any more.
func (s *snapshot) without(d crd) *snapshot {
	out := &snapshot{versions: s.versions, resources: maps.Clone(s.resources), failed: s.failed}
	for _, v := range s.versions[d.group] {
		gv := schema.GroupVersion{Group: d.group, Version: v}
		if _, ok := out.resources[gv][d.kind]; ok && !slices.Contains(d.versions, v) {
			out.resources[gv] = maps.Clone(out.resources[gv])
			delete(out.resources[gv], d.kind)
		}
	}
	return out
}

func (s *snapshot) mapping(gk schema.GroupKind, versions []string) *meta.RESTMapping {
	if len(versions) == 0 {
		versions = s.versions[gk.Group]
	}
	for _, v := range versions {
		gv := schema.GroupVersion{Group: gk.Group, Version: v}
		r, ok := s.resources[gv][gk.Kind]
		if !ok {
			continue
		}
		var scope meta.RESTScope = meta.RESTScopeRoot
		if r.Namespaced {
			scope = meta.RESTScopeNamespace
		}
		return &meta.RESTMapping{Resource: gv.WithResource(r.Name), GroupVersionKind: gv.WithKind(gk.Kind), Scope: scope}
	}
	return nil
}

func (s *snapshot) served(gk schema.GroupKind) []string {
	var out []string
	for _, v := range s.versions[gk.Group] {
		if s.mapping(gk, []string{v}) != nil {
			out = append(out, v)
		}
	}
	return out
}

func (s *snapshot) kinds(suffix string) []schema.GroupVersionKind {
	var out []schema.GroupVersionKind
	for _, group := range slices.Sorted(maps.Keys(s.versions)) {
		if group != suffix && !strings.HasSuffix(group, "."+suffix) {
			continue
		}
		seen := map[string]bool{}
		for _, v := range s.versions[group] {
			gv := schema.GroupVersion{Group: group, Version: v}
			for _, kind := range slices.Sorted(maps.Keys(s.resources[gv])) {
				if !seen[kind] {
					seen[kind] = true
					out = append(out, gv.WithKind(kind))
				}
			}
		}
	}
	return out
}
