// SPDX-License-Identifier: Apache-2.0

package move

import (
	"context"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"

	"github.com/clusterctl/clusterctl/pkg/capi"
	"github.com/clusterctl/clusterctl/pkg/kube"
	"github.com/clusterctl/clusterctl/pkg/move/plan"
)

// toPause are the Clusters that aren't paused, and what no Cluster's pause covers.
func (m *mover) toPause() (paused, held []PausedObject) {
	for _, o := range m.plan.Objects {
		switch {
		case o.GroupKind == capi.ClusterGK():
			if capi.Paused(o.Source) {
				continue
			}
			was := ""
			if !capi.PausesBySpec(o.Version) {
				was = "annotation"
			} else if v, found, _ := unstructured.NestedBool(o.Source.Object, "spec", "paused"); found && !v {
				was = "false"
			}
			paused = append(paused, PausedObject{Key: o.Key, Version: o.Version, Was: was})
		case isCAPIGroup(o.Group) && !o.PausedByCluster && !capi.Paused(o.Source):
			p := PausedObject{Key: o.Key, Version: o.Version, Was: "annotation"}
			if m.o.Quiesce == QuiescePause && o.Mode == plan.Move {
				paused = append(paused, p)
			} else {
				held = append(held, p)
			}
		}
	}
	return paused, held
}

// pause pauses what the journal says.
func (m *mover) pause(ctx context.Context) error {
	planned := m.planned()
	return m.srcWidth.each(ctx, len(m.journal.Paused), func(ctx context.Context, i int) error {
		p := m.journal.Paused[i]
		patch := []byte(`{"spec":{"paused":true}}`)
		if p.Was == "annotation" {
			patch = []byte(`{"metadata":{"annotations":{"` + capi.PausedAnnotation + `":""}}}`)
		}
		stored, err := m.src.SendPatch(ctx, p.target(), types.MergePatchType, patch)
		if o := planned[p.Key]; err == nil && o != nil {
			err = nowPaused(o.Source, p, stored.ResourceVersion)
		}
		return err
	})
}

// planned finds the objects of a plan that is still good.
func (m *mover) planned() map[plan.Key]*plan.Object {
	if !m.fresh {
		return nil
	}
	out := make(map[plan.Key]*plan.Object, len(m.plan.Objects))
	for _, o := range m.plan.Objects {
		out[o.Key] = o
	}
	return out
}

// nowPaused brings what was read up to what was written.
func nowPaused(u *unstructured.Unstructured, p PausedObject, state string) error {
	u.SetResourceVersion(state)
	if p.Was != "annotation" {
		return unstructured.SetNestedField(u.Object, true, "spec", "paused")
	}
	annotations := u.GetAnnotations()
	if annotations == nil {
		annotations = map[string]string{}
	}
	annotations[capi.PausedAnnotation] = ""
	u.SetAnnotations(annotations)
	return nil
}

// unpause takes a pause back, on either cluster.
func (p PausedObject) unpause(ctx context.Context, c *kube.Client) error {
	patch := []byte(`{"spec":{"paused":null}}`)
	switch p.Was {
	case "annotation":
		patch = []byte(`{"metadata":{"annotations":{"` + capi.PausedAnnotation + `":null}}}`)
	case "false":
		patch = []byte(`{"spec":{"paused":false}}`)
	}
	_, err := c.SendPatch(ctx, p.target(), types.MergePatchType, patch)
	return err
}

// before is a paused object as it was before: who restores it later must not find it paused by a move that is long over.
func (p PausedObject) before(paused *unstructured.Unstructured) *unstructured.Unstructured {
	u := paused.DeepCopy()
	switch p.Was {
	case "annotation":
		annotations := u.GetAnnotations()
		delete(annotations, capi.PausedAnnotation)
		u.SetAnnotations(annotations)
		forget(u, "f:metadata", "f:annotations", "f:"+capi.PausedAnnotation)
		return u
	case "false":
		_ = unstructured.SetNestedField(u.Object, false, "spec", "paused") // It has a spec: it was paused there.
	default:
		unstructured.RemoveNestedField(u.Object, "spec", "paused")
	}
	forget(u, "f:spec", "f:paused")
	return u
}

func (p PausedObject) target() kube.Target {
	return kube.Target{GVK: p.WithVersion(p.Version), Namespace: p.Namespace, Name: p.Name}
}
