// SPDX-License-Identifier: Apache-2.0

package move

import (
	"context"
	"fmt"
	"reflect"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
)

// bringUpToDate writes to a copy what somebody changed on the source after it was copied, and says whether there was anything. What
// belongs to the copy alone stays: owners, finalizers, the pause.
func (m *mover) bringUpToDate(ctx context.Context, e entry, source, copied *unstructured.Unstructured) (bool, error) {
	want := copied.DeepCopy()
	for k, v := range source.Object {
		if k != "metadata" && k != "status" && k != "apiVersion" && k != "kind" {
			want.Object[k] = runtime.DeepCopyJSONValue(v)
		}
	}
	for _, field := range []string{"labels", "annotations"} {
		have, _, _ := unstructured.NestedMap(copied.Object, "metadata", field)
		for k, v := range mapAt(source, field) {
			if have == nil {
				have = map[string]any{}
			}
			have[k] = v
		}
		if len(have) > 0 {
			if err := unstructured.SetNestedMap(want.Object, have, "metadata", field); err != nil {
				return false, err
			}
		}
	}
	changed := false
	if !reflect.DeepEqual(want.Object, copied.Object) {
		updated, err := m.dst.Update(ctx, want)
		if err != nil {
			return false, fmt.Errorf("target: %w", err)
		}
		copied, changed = updated, true
	}
	status := source.Object["status"]
	if status == nil || !reflect.DeepEqual(copied.Object["spec"], want.Object["spec"]) || missing("status", status, copied.Object["status"]) == "" {
		return changed, nil
	}
	copied.Object["status"] = runtime.DeepCopyJSONValue(status)
	if _, err := m.dst.UpdateStatus(ctx, copied); err != nil {
		return changed, fmt.Errorf("target: status: %w", err)
	}
	return true, nil
}

func mapAt(u *unstructured.Unstructured, field string) map[string]any {
	v, _, _ := unstructured.NestedMap(u.Object, "metadata", field)
	return v
}
