// SPDX-License-Identifier: Apache-2.0

package move

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/clusterctl/clusterctl/pkg/capi"
	"github.com/clusterctl/clusterctl/pkg/kube"
	"github.com/clusterctl/clusterctl/pkg/move/plan"
)

// copied is what is known of an object's copy.
type copied struct {
	// uid is the copy's; empty until there is one.
	uid types.UID
	// version is the resourceVersion that the copy had when it was last written or seen by this run.
	version string
	// found says that an object that isn't ours is kept as it is on the target (Mode Copy).
	found bool
}

// ownership is how the field managers of an object come to the target.
type ownership struct {
	// creator is the field manager that creates the copy.
	creator string
	// restore says that the managers have to be written afterwards.
	restore bool
	// statusManager writes the status.
	statusManager string
}

// ownershipOf decides it. Where one manager has set everything, creating the copy in its name says the same as the source does.
// Else the move's own manager creates the copy, and the source's managers replace it afterwards: otherwise the move would own
// every field, and whoever applies the object later would meet a conflict.
// Source: kubernetes-sigs/cluster-api#7473.
func ownershipOf(o *plan.Object, marker string) ownership {
	w := ownership{creator: marker, statusManager: marker}
	var main, status []metav1.ManagedFieldsEntry
	for _, f := range o.Source.GetManagedFields() {
		switch {
		case isOurPause(f):
		case f.Subresource == "":
			main = append(main, f)
		case f.Subresource == "status" && o.HasStatus:
			status = append(status, f)
		}
	}
	if len(status) > 0 {
		w.statusManager = status[0].Manager
	}
	if len(main) == 1 && main[0].Operation == metav1.ManagedFieldsOperationUpdate && main[0].APIVersion == o.GVK().GroupVersion().String() {
		w.creator = main[0].Manager
		return w
	}
	w.restore = len(main) > 0
	return w
}

// isOurPause says whether an entry is nothing but the pause that the move put on the source; it ends with the pause.
func isOurPause(f metav1.ManagedFieldsEntry) bool {
	return f.Manager == kube.FieldManager && f.Subresource == "" && f.FieldsV1 != nil && f.FieldsV1.GetRawString() == `{"f:spec":{"f:paused":{}}}`
}

// bodyOf is the copy to be created: the source without what only a server says, owned by the owners' copies, and paused.
func bodyOf(o *plan.Object, owners []metav1.OwnerReference, held bool) ([]byte, error) {
	src := o.Source.Object
	out := make(map[string]any, len(src))
	for k, v := range src {
		if k != "metadata" && (k != "status" || !o.HasStatus) {
			out[k] = v
		}
	}
	out["apiVersion"], out["kind"] = o.GVK().GroupVersion().String(), o.Kind
	out["metadata"] = metadataOf(o, owners, held)
	return json.Marshal(out)
}

// metadataOf is the metadata of a copy.
func metadataOf(o *plan.Object, owners []metav1.OwnerReference, held bool) map[string]any {
	meta, _ := o.Source.Object["metadata"].(map[string]any)
	kept := map[string]any{}
	for _, k := range []string{"name", "namespace", "generateName", "labels", "annotations", "finalizers"} {
		if v, ok := meta[k]; ok {
			kept[k] = v
		}
	}
	if len(owners) > 0 {
		kept["ownerReferences"] = owners
	}
	if held {
		annotations := map[string]any{capi.PausedAnnotation: ""}
		if was, ok := kept["annotations"].(map[string]any); ok {
			maps.Copy(annotations, was)
		}
		kept["annotations"] = annotations
	}
	return kept
}

// statusBody is for the status subresource. It carries the metadata too: the server doesn't change them there, but takes fields that
// aren't sent for fields that their managers have given up. (Managers can't be set there: a server takes them of the object itself only.)
func (m *mover) statusBody(i int) ([]byte, error) {
	o := m.plan.Objects[i]
	owners, err := m.ownersOf(o, true)
	if err != nil {
		return nil, err
	}
	meta := metadataOf(o, owners, m.isHeld(o.Key))
	meta["resourceVersion"] = m.copies[i].version
	return json.Marshal(map[string]any{
		"apiVersion": o.GVK().GroupVersion().String(), "kind": o.Kind, "metadata": meta, "status": o.Source.Object["status"],
	})
}

// managersFor are the field managers of the source; where they own an owner reference, that is named by the owner's UID, which is
// another one on the target.
func (m *mover) managersFor(o *plan.Object) (any, error) {
	fields := slices.DeleteFunc(o.Source.GetManagedFields(), isOurPause)
	text, err := json.Marshal(fields)
	if err != nil {
		return nil, err
	}
	for i, ref := range o.Source.GetOwnerReferences() {
		if at := o.Owners[i]; at >= 0 && m.copies[at].uid != "" {
			text = bytes.ReplaceAll(text, []byte(ref.UID), []byte(m.copies[at].uid))
		}
	}
	return json.RawMessage(text), nil
}

// ownersOf are the owner references of a copy: the same, with the UIDs of the owners' copies. Owners that come later, because the
// references go in a circle, are left out unless all is asked for.
func (m *mover) ownersOf(o *plan.Object, all bool) ([]metav1.OwnerReference, error) {
	refs := o.Source.GetOwnerReferences()
	out := make([]metav1.OwnerReference, 0, len(refs))
	for i, ref := range refs {
		if slices.Contains(o.Late, i) && !all {
			continue
		}
		at := -1
		if i < len(o.Owners) {
			at = o.Owners[i]
		}
		if at < 0 {
			uid, ok := m.outside[outsideKey(o, ref)]
			if !ok {
				continue // allowed to be left, and not on the target
			}
			ref.UID = uid
			out = append(out, ref)
			continue
		}
		if ref.UID = m.copies[at].uid; ref.UID == "" {
			return nil, fmt.Errorf("the owner %s of %s has no copy", m.plan.Objects[at].Key, o.Key)
		}
		out = append(out, ref)
	}
	return out, nil
}
