// SPDX-License-Identifier: Apache-2.0

package kubeconfig

import (
	"reflect"

	"sigs.k8s.io/yaml"
)

// view is a kubeconfig as kubectl's YAML decoder sees it, with its lists as maps by name.
type view struct {
	rest  map[string]any
	lists map[string]map[string]any
}

func newView(text []byte) (view, error) {
	v := view{rest: map[string]any{}, lists: map[string]map[string]any{}}
	if err := yaml.Unmarshal(text, &v.rest); err != nil {
		return v, errNotKept
	}
	for _, s := range sections() {
		entries, _ := v.rest[s.list].([]any)
		delete(v.rest, s.list)
		v.lists[s.list] = map[string]any{}
		for _, e := range entries {
			m, _ := e.(map[string]any)
			name, _ := m["name"].(string)
			v.lists[s.list][name] = m
		}
	}
	return v, nil
}

// is says whether v is before plus ours, and nothing else.
func (v view) is(before, ours view, setCurrent bool) bool {
	for _, s := range sections() {
		want := map[string]any{}
		for name, e := range before.lists[s.list] {
			want[name] = e
		}
		for name, e := range ours.lists[s.list] {
			want[name] = prune(e)
		}
		have := map[string]any{}
		for name, e := range v.lists[s.list] {
			have[name] = e
			if _, is := ours.lists[s.list][name]; is {
				have[name] = prune(e)
			}
		}
		if !reflect.DeepEqual(want, have) {
			return false
		}
	}
	keys := map[string]bool{}
	for _, m := range []map[string]any{before.rest, v.rest} {
		for key := range m {
			keys[key] = true
		}
	}
	if setCurrent {
		delete(keys, "current-context")
	}
	fresh := len(before.rest) == 0
	for key := range keys {
		if fresh && (key == "apiVersion" || key == "kind") {
			continue
		}
		if !reflect.DeepEqual(before.rest[key], v.rest[key]) {
			return false
		}
	}
	return true
}
