// SPDX-License-Identifier: Apache-2.0

package workload

import (
	"context"
	"fmt"
	"sort"
	"strings"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/clusterctl/clusterctl/pkg/capi"
	"github.com/clusterctl/clusterctl/pkg/fault"
	"github.com/clusterctl/clusterctl/pkg/kube"
	"github.com/clusterctl/clusterctl/pkg/manifest"
)

// prepared is a set made ready for one API server: copies of the objects, with their namespaces.
type prepared struct {
	first, later []*unstructured.Unstructured
	// namespaces are those that the set brings itself.
	namespaces map[string]bool
	// origins say where an object was read, for errors.
	origins map[*unstructured.Unstructured]string
}

// prepare checks that all kinds are served and gives namespaced objects the Cluster's namespace; which
// kinds are namespaced only the server (or a CRD of the set) knows.
func prepare(ctx context.Context, c *kube.Client, s *Set) (*prepared, error) {
	own := scopesOfCRDs(s.Objects)
	p := &prepared{namespaces: map[string]bool{}, origins: map[*unstructured.Unstructured]string{}}
	later := map[*unstructured.Unstructured]bool{}
	for _, o := range s.Later {
		later[o.Unstructured] = true
	}
	absent := missingKinds{c: c, uses: map[schema.GroupVersionKind][]manifest.Origin{}}
	for _, o := range s.Objects {
		namespaced, known := own[o.GroupVersionKind().GroupKind()]
		if !known {
			m, err := c.Mapping(ctx, o.GroupVersionKind().GroupKind(), o.GroupVersionKind().Version)
			if isNoKind(err) {
				absent.add(o)
				continue
			} else if err != nil {
				return nil, err
			}
			namespaced = m.Scope.Name() == meta.RESTScopeNameNamespace
		}
		u := o.DeepCopy()
		place(u, s, namespaced)
		p.origins[u] = o.Origin.String()
		if o.GroupVersionKind().GroupKind() == namespaceGVK().GroupKind() {
			p.namespaces[o.GetName()] = true
		}
		if later[o.Unstructured] {
			p.later = append(p.later, u)
		} else {
			p.first = append(p.first, u)
		}
	}
	return p, absent.err(ctx)
}

func place(u *unstructured.Unstructured, s *Set, namespaced bool) {
	switch {
	case !namespaced:
		u.SetNamespace("")
	case u.GetNamespace() == "", s.override:
		u.SetNamespace(s.Namespace)
	}
}

// scopesOfCRDs says of the kinds that the set brings itself whether they are namespaced.
func scopesOfCRDs(objs []manifest.Object) map[schema.GroupKind]bool {
	out := map[schema.GroupKind]bool{}
	for _, o := range objs {
		if o.GroupVersionKind().GroupKind() != crdGVK().GroupKind() {
			continue
		}
		group, _, _ := unstructured.NestedString(o.Object, "spec", "group")
		kind, _, _ := unstructured.NestedString(o.Object, "spec", "names", "kind")
		scope, _, _ := unstructured.NestedString(o.Object, "spec", "scope")
		out[schema.GroupKind{Group: group, Kind: kind}] = scope == "Namespaced"
	}
	return out
}

// missingKinds collects kinds that aren't served, with where they are used.
type missingKinds struct {
	c    *kube.Client
	uses map[schema.GroupVersionKind][]manifest.Origin
}

func (m *missingKinds) add(o manifest.Object) {
	m.uses[o.GroupVersionKind()] = append(m.uses[o.GroupVersionKind()], o.Origin)
}

func (m *missingKinds) err(ctx context.Context) error {
	if len(m.uses) == 0 {
		return nil
	}
	var lines []string
	hints := map[string]bool{}
	for gvk, uses := range m.uses {
		line := fmt.Sprintf("%s (%s), %s", gvk.Kind, gvk.GroupVersion(), uses[0])
		if served, err := m.c.Served(ctx, gvk.GroupKind()); err == nil && len(served) > 0 {
			line += ": served are " + strings.Join(served, ", ")
			hints["write the objects in a version that is served"] = true
		} else {
			hints[installHint(gvk.Group)] = true
		}
		lines = append(lines, line)
	}
	sort.Strings(lines)
	err := fault.Refusedf("apply objects: the management cluster doesn't know %d of their kinds:\n  - %s", len(lines), strings.Join(lines, "\n  - "))
	return fault.WithHint(err, "%s", strings.Join(sortedKeys(hints), "; "))
}

// installHint says how to get what serves a group.
func installHint(group string) string {
	flag := map[string]string{
		capi.GroupInfrastructure: "infrastructure", capi.GroupBootstrap: "bootstrap", capi.GroupControlPlane: "control-plane",
		capi.GroupIPAM: "ipam", capi.GroupCore: "core", capi.GroupAddons: "core", capi.GroupRuntime: "core",
	}[group]
	if flag == "" {
		return "install the CRDs of " + group
	}
	return fmt.Sprintf("install the missing %s provider: clusterctl init --%s NAME", strings.ReplaceAll(flag, "-", " "), flag)
}

func sortedKeys(set map[string]bool) []string {
	out := make([]string, 0, len(set))
	for k := range set {
		out = append(out, k)
	}
	sort.Strings(out)
	return out
}
