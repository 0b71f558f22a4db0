// SPDX-License-Identifier: Apache-2.0

package plan

import (
	"fmt"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/clusterctl/clusterctl/pkg/fault"
)

// orphanage gathers objects with owners that can't be moved with them, by owner: nothing of that is dropped silently.
// Source: kubernetes-sigs/cluster-api#8387.
type orphanage struct {
	*selection
	groups []*orphans
	byRef  map[orphanRef]*orphans
}

// orphanRef is an owner as references name it.
type orphanRef struct{ apiVersion, kind, namespace, name string }

type orphans struct {
	ref  orphanRef
	why  string
	list []Key
}

// add notes an owner of an object that isn't in the plan.
func (h *orphanage) add(n, owner *node, ref metav1.OwnerReference) {
	stays := owner != nil && !owner.excluded
	if n.mode == Copy && (stays || !h.around(n.key.Namespace)) {
		return // the owner goes on owning the object where both stay
	}
	if matching(h.orphans, n) != nil {
		return
	}
	key := orphanRef{ref.APIVersion, ref.Kind, n.key.Namespace, ref.Name}
	g := h.byRef[key]
	if g == nil {
		if h.byRef == nil {
			h.byRef = map[orphanRef]*orphans{}
		}
		g = &orphans{ref: key, why: h.whyNot(owner, ref)}
		h.byRef[key] = g
		h.groups = append(h.groups, g)
	}
	g.list = append(g.list, n.key)
}

// whyNot says why an owner isn't moved.
func (h *orphanage) whyNot(owner *node, ref metav1.OwnerReference) string {
	gv, _ := schema.ParseGroupVersion(ref.APIVersion)
	gk := schema.GroupKind{Group: gv.Group, Kind: ref.Kind}
	_, known := h.kinds[gk]
	switch {
	case owner != nil && owner.excluded:
		return "is left out by --exclude"
	case owner != nil && owner.gone:
		return "doesn't exist any more"
	case owner != nil:
		return "isn't part of the move"
	case h.unread[gk] != nil:
		return fmt.Sprintf("couldn't be looked for (%v)", h.unread[gk])
	case known:
		return "doesn't exist"
	}
	return fmt.Sprintf("is of a kind that isn't moved (%s)", ref.APIVersion)
}

// faults says it, one fault for each owner.
func (h *orphanage) faults() (out fault.List) {
	const most = 20
	for i, g := range h.groups {
		if i == most {
			out.Faults = append(out.Faults, fault.Refusedf("%d more owners can't be moved with what they own", len(h.groups)-most))
			break
		}
		out.Faults = append(out.Faults, h.fault(g))
	}
	return out
}

func (h *orphanage) fault(g *orphans) error {
	who, verb, of := some(g.list), "can't be moved: its owner", ""
	if len(g.list) > 1 {
		who, verb = fmt.Sprintf("%d objects", len(g.list)), "can't be moved: their owner"
		of = ": " + some(g.list)
	}
	err := fault.Refusedf("%s %s %s %s %s%s", who, verb, g.ref.kind, g.ref.name, g.why, of)
	const most = 3
	var flags []string
	for _, k := range g.list[:min(len(g.list), most)] {
		flags = append(flags, "--allow-orphans "+h.kinds.flagText(k))
	}
	rest := ""
	if len(g.list) > most {
		rest = " …"
	}
	return fault.WithHint(err, "without that owner they go with %s%s; or leave them with --exclude", strings.Join(flags, " "), rest)
}

// some names the first few of a list.
func some(list []Key) string {
	const most = 3
	var names []string
	for _, k := range list[:min(len(list), most)] {
		names = append(names, k.String())
	}
	out := strings.Join(names, ", ")
	if n := len(list) - most; n > 0 {
		out += fmt.Sprintf(" and %d more", n)
	}
	return out
}
