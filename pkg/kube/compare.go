// SPDX-License-Identifier: Apache-2.0

package kube

import (
	"encoding/base64"
	"encoding/json"
	"math/big"
	"slices"

	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// isApplied says whether a live object is as wanted: applied from the same content before, and still holding all of
// it. In doubt it says no: then the object is applied once more, which changes nothing.
func isApplied(want, live *unstructured.Unstructured) bool {
	if live.GetDeletionTimestamp() != nil || hashOf(want) == "" || hashOf(want) != hashOf(live) {
		return false
	}
	w := want.Object
	switch {
	case want.GetKind() == "Secret" && w["stringData"] != nil:
		w = secretData(want)
	case want.GroupVersionKind().Group == "rbac.authorization.k8s.io":
		return sameRights(want, live)
	}
	for key, v := range w {
		if key == "status" || key == "apiVersion" {
			continue // the server's, and what was asked for
		}
		if !holds(v, live.Object[key], key) {
			return false
		}
	}
	return true
}

// sameRights is strict: a rule that somebody made narrower holds less, although it has more fields.
func sameRights(want, live *unstructured.Unstructured) bool {
	for key, v := range want.Object {
		switch key {
		case "rules":
			if want.Object["aggregationRule"] == nil && (!holds(v, live.Object[key], key) || !holds(live.Object[key], v, key)) {
				return false
			}
		case "apiVersion":
		default:
			if !holds(v, live.Object[key], key) {
				return false
			}
		}
	}
	return true
}

// secretData gives a Secret's content the way that the server keeps it.
func secretData(want *unstructured.Unstructured) map[string]any {
	out := want.DeepCopy().Object
	data, _, _ := unstructured.NestedMap(out, "data")
	if data == nil {
		data = map[string]any{}
	}
	plain, _, _ := unstructured.NestedMap(out, "stringData")
	for k, v := range plain {
		data[k] = base64.StdEncoding.EncodeToString([]byte(str(v)))
	}
	delete(out, "stringData")
	out["data"] = data
	return out
}

// holds says whether live has everything that want has. Defaults that the server added are fine, and so are its
// own ways to write nothing and quantities.
func holds(want, live any, key string) bool {
	switch w := want.(type) {
	case nil:
		return true
	case bool:
		return want == live || !w && live == nil
	case map[string]any:
		l, ok := live.(map[string]any)
		if !ok {
			return len(w) == 0 && live == nil
		}
		for k, v := range w {
			if !holds(v, l[k], either(isQuantities(key), quantity, k)) {
				return false
			}
		}
		return true
	case []any:
		l, ok := live.([]any)
		if !ok {
			return len(w) == 0 && live == nil
		}
		return holdsList(w, l, key)
	case string:
		l, ok := live.(string)
		if w == "" && live == nil {
			return true // left out by the server, as in env entries without a value
		}
		return ok && (w == l || key == quantity && sameQuantity(w, l)) || !ok && key == quantity && sameNumberText(w, live)
	}
	return sameNumber(want, live, key)
}

// holdsList compares element by element; where the server's list is longer, by the elements' names.
func holdsList(want, live []any, key string) bool {
	if len(want) == len(live) {
		for i := range want {
			if !holds(want[i], live[i], key) {
				return false
			}
		}
		return true
	}
	if len(want) > len(live) || len(want) == 0 {
		return false
	}
	for _, w := range want {
		m, ok := w.(map[string]any)
		name := m["name"]
		if !ok || name == nil {
			return false
		}
		i := slices.IndexFunc(live, func(l any) bool { lm, _ := l.(map[string]any); return lm["name"] == name })
		if i < 0 || !holds(w, live[i], key) {
			return false
		}
	}
	return true
}

// quantity is the key under which the values of a list of resources are compared.
const quantity = "\x00quantity"

func isQuantities(key string) bool {
	return slices.Contains([]string{"limits", "requests", "hard", "capacity", "defaultRequest"}, key)
}

func sameQuantity(a, b string) bool {
	qa, errA := resource.ParseQuantity(a)
	qb, errB := resource.ParseQuantity(b)
	return errA == nil && errB == nil && qa.Cmp(qb) == 0
}

// sameNumberText compares a quantity that was written as text with a number.
func sameNumberText(text string, n any) bool {
	data, err := json.Marshal(n)
	return err == nil && sameQuantity(text, string(data))
}

// sameNumber compares numbers of whatever Go type; a number that stands for a quantity may have become text.
func sameNumber(a, b any, key string) bool {
	ta, errA := json.Marshal(a)
	tb, errB := json.Marshal(b)
	if errA != nil || errB != nil {
		return false
	}
	if s, ok := b.(string); ok {
		return key == quantity && sameQuantity(string(ta), s)
	}
	ra, okA := new(big.Rat).SetString(string(ta))
	rb, okB := new(big.Rat).SetString(string(tb))
	return okA && okB && ra.Cmp(rb) == 0
}
