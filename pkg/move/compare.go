// SPDX-License-Identifier: Apache-2.0

package move

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// notOurs says why an object on the target can't be a copy that this move made; "" if it is one.
func (m *mover) notOurs(i int, live *unstructured.Unstructured) string {
	if uid := m.copies[i].uid; uid != "" {
		if uid == live.GetUID() {
			return ""
		}
		return "another one was made in its place"
	}
	created := live.GetCreationTimestamp()
	if m.journal.created.IsZero() || created.Before(&m.journal.created) {
		return fmt.Sprintf("it is older than the move (made %s)", created.UTC().Format("2006-01-02 15:04:05"))
	}
	if slices.ContainsFunc(live.GetManagedFields(), func(f metav1.ManagedFieldsEntry) bool { return f.Manager == m.marker() }) {
		return ""
	}
	if at := m.differs(i, live, false); at != "" { // owners that come later may not have come yet
		return "it differs at " + at
	}
	return ""
}

// differs compares an object on the target with what was sent there: everything sent has to be there, with the same value; defaults and
// what controllers add may be there too; late says whether owners that come later have to be there. It returns the first place that differs; "" if there is none.
func (m *mover) differs(i int, live *unstructured.Unstructured, late bool) string {
	o := m.plan.Objects[i]
	owners, err := m.ownersOf(o, late)
	if err != nil {
		return "metadata.ownerReferences"
	}
	body, err := bodyOf(o, nil, m.isHeld(o.Key))
	if err != nil {
		return err.Error()
	}
	var want map[string]any
	if err := json.Unmarshal(body, &want); err != nil {
		return err.Error()
	}
	if at := missing("", want, live.Object); at != "" {
		return at
	}
	return missingOwner(owners, live.GetOwnerReferences())
}

func missingOwner(want, have []metav1.OwnerReference) string {
	for _, w := range want {
		if !slices.ContainsFunc(have, func(h metav1.OwnerReference) bool { return h.UID == w.UID && h.Kind == w.Kind && h.Name == w.Name }) {
			return fmt.Sprintf("metadata.ownerReferences (%s %s)", w.Kind, w.Name)
		}
	}
	return ""
}

// missing walks along want and returns the first path at which have lacks something or says something else. An empty map
// or list and none are the same.
func missing(path string, want, have any) string {
	switch w := want.(type) {
	case map[string]any:
		h, ok := have.(map[string]any)
		if !ok && len(w) > 0 {
			return path
		}
		for _, k := range sortedKeys(w) {
			if at := missing(join(path, k), w[k], h[k]); at != "" {
				return at
			}
		}
		return ""
	case []any:
		h, _ := have.([]any)
		if len(w) == len(h) {
			for i := range w {
				if at := missing(fmt.Sprintf("%s[%d]", path, i), w[i], h[i]); at != "" {
					return at
				}
			}
			return ""
		}
		if path == "metadata.finalizers" { // the target's controllers may have added theirs
			for _, f := range w {
				if !slices.Contains(h, f) {
					return path
				}
			}
			return ""
		}
		return path
	case nil:
		return ""
	}
	if number(want) == number(have) {
		return ""
	}
	return path
}

// number brings numbers to one type: JSON from two decoders has two.
func number(v any) any {
	switch n := v.(type) {
	case int64:
		return float64(n)
	case int:
		return float64(n)
	}
	return v
}

func join(path, key string) string {
	if path == "" {
		return key
	}
	return path + "." + key
}

func sortedKeys(m map[string]any) []string { return slices.Sorted(maps.Keys(m)) }
