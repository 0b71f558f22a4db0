// SPDX-License-Identifier: Apache-2.0

package move

import (
	"encoding/json"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/clusterctl/clusterctl/pkg/capi"
	"github.com/clusterctl/clusterctl/pkg/kube"
)

// dropToolsPause takes a pause out of an object that was read while a tool held it: upstream's clusterctl pauses what it writes to a
// folder, and a move what its snapshot holds. Both do that under one field manager. A pause under any other is a person's, and stays;
// where nothing is known of managers it was the tool's, as upstream has it.
func dropToolsPause(u *unstructured.Unstructured) {
	if u.GroupVersionKind().GroupKind() == capi.ClusterGK() {
		if paused, _, _ := unstructured.NestedBool(u.Object, "spec", "paused"); paused && setByTool(u, "f:spec", "f:paused") {
			unstructured.RemoveNestedField(u.Object, "spec", "paused")
			forget(u, "f:spec", "f:paused")
		}
	}
	annotations := u.GetAnnotations()
	if _, paused := annotations[capi.PausedAnnotation]; paused && setByTool(u, "f:metadata", "f:annotations", "f:"+capi.PausedAnnotation) {
		delete(annotations, capi.PausedAnnotation)
		u.SetAnnotations(annotations)
		forget(u, "f:metadata", "f:annotations", "f:"+capi.PausedAnnotation)
	}
}

func setByTool(u *unstructured.Unstructured, field ...string) bool {
	managers := u.GetManagedFields()
	return len(managers) == 0 || slices.ContainsFunc(managers, func(f metav1.ManagedFieldsEntry) bool {
		_, has, _ := unstructured.NestedFieldNoCopy(fieldsOf(f), field...)
		return f.Manager == kube.FieldManager && has
	})
}

func fieldsOf(f metav1.ManagedFieldsEntry) map[string]any {
	var out map[string]any
	if f.FieldsV1 == nil || json.Unmarshal(f.FieldsV1.GetRawBytes(), &out) != nil {
		return nil
	}
	return out
}

// forget takes a field from the tool that managed it. Where that managed nothing else, it wasn't there.
func forget(u *unstructured.Unstructured, field ...string) {
	managers := u.GetManagedFields()
	if len(managers) == 0 {
		return
	}
	managers = slices.DeleteFunc(managers, func(f metav1.ManagedFieldsEntry) bool {
		fields := fieldsOf(f)
		if f.Manager != kube.FieldManager || fields == nil {
			return false
		}
		removeEmptied(fields, field)
		raw, err := json.Marshal(fields)
		if err == nil {
			f.FieldsV1.SetRawBytes(raw)
		}
		return len(fields) == 0
	})
	u.SetManagedFields(managers)
}

// removeEmptied removes a field, and what has nothing left but itself (".") then.
func removeEmptied(fields map[string]any, path []string) {
	child, ok := fields[path[0]].(map[string]any)
	switch {
	case !ok:
		return
	case len(path) == 1:
		delete(fields, path[0])
		return
	}
	removeEmptied(child, path[1:])
	if _, self := child["."]; len(child) == 0 || self && len(child) == 1 {
		delete(fields, path[0])
	}
}
