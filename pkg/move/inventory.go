// SPDX-License-Identifier: Apache-2.0

package move

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"strconv"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"

	"github.com/clusterctl/clusterctl/pkg/kube"
	"github.com/clusterctl/clusterctl/pkg/move/plan"
)

// partSize is how many objects one part of the inventory lists: a part stays well below what a ConfigMap may hold (1 MiB).
const partSize = 5000

// entry is one object of the inventory. Its field names are short because there may be tens of thousands.
type entry struct {
	plan.Key
	Version string    `json:"v"`
	UID     types.UID `json:"u"`
	// State is the source's resourceVersion when it was read.
	State string `json:"r"`
	// Copy is the UID on the target; Found says that it was there before.
	Copy  types.UID `json:"c"`
	Found bool      `json:"f,omitempty"`
	// Level, Stays and Finalizers are what releasing needs to know.
	Level      int  `json:"l"`
	Stays      bool `json:"s,omitempty"`
	Finalizers bool `json:"z,omitempty"`
	// LosesOwners says of what stays that all its owners go.
	LosesOwners bool `json:"o,omitempty"`
}

func partName(n int) string { return journalName + "-inventory-" + strconv.Itoa(n) }

// entries are the inventory of the plan.
func (m *mover) entries() []entry {
	out := make([]entry, len(m.plan.Objects))
	for i, o := range m.plan.Objects {
		out[i] = entry{
			Key: o.Key, Version: o.Version, UID: o.UID, State: o.Source.GetResourceVersion(), Copy: m.copies[i].uid, Found: m.copies[i].found,
			Level: o.Level, Stays: o.Mode == plan.Copy, Finalizers: len(o.Source.GetFinalizers()) > 0,
			LosesOwners: o.LosesOwners,
		}
	}
	return out
}

// writeInventory stores on the source what was copied. From here on the copies are known by their UIDs.
func (m *mover) writeInventory(ctx context.Context) error {
	list := m.entries()
	if m.journal.Inventory > 0 || m.o.Source == nil { // a restore has no source to write it to; it deletes nothing
		return nil
	}
	parts := 0
	for ; parts*partSize < len(list); parts++ {
		if err := m.writePart(ctx, parts, list[parts*partSize:min((parts+1)*partSize, len(list))]); err != nil {
			return fmt.Errorf("write the inventory of the move: %w", err)
		}
	}
	m.journal.Inventory = parts
	return m.save(ctx)
}

func (m *mover) writePart(ctx context.Context, n int, list []entry) error {
	var packed bytes.Buffer
	w := gzip.NewWriter(&packed)
	if err := json.NewEncoder(w).Encode(list); err != nil {
		return err
	}
	if err := w.Close(); err != nil {
		return err
	}
	u := &unstructured.Unstructured{Object: map[string]any{
		"binaryData": map[string]any{"objects.json.gz": base64.StdEncoding.EncodeToString(packed.Bytes())},
	}}
	u.SetGroupVersionKind(gvkConfigMap())
	u.SetNamespace(journalNamespace)
	u.SetName(partName(n))
	u.SetLabels(map[string]string{moveLabel: m.journal.ID})
	body, err := u.MarshalJSON()
	if err != nil {
		return err
	}
	return kube.Retry(ctx, func(ctx context.Context) error {
		_, err := m.o.Source.SendPatch(ctx, kube.Target{GVK: gvkConfigMap(), Namespace: journalNamespace, Name: partName(n)}, types.ApplyPatchType, body)
		return err
	})
}

func (m *mover) readInventory(ctx context.Context) ([]entry, error) {
	var out []entry
	for n := range m.journal.Inventory {
		var u *unstructured.Unstructured
		err := kube.Retry(ctx, func(ctx context.Context) error {
			var err error
			u, err = m.o.Source.Get(ctx, gvkConfigMap(), journalNamespace, partName(n))
			return err
		})
		if err != nil {
			return nil, fmt.Errorf("read the inventory of the move: %w", err)
		}
		text, _, _ := unstructured.NestedString(u.Object, "binaryData", "objects.json.gz")
		packed, err := base64.StdEncoding.DecodeString(text)
		if err != nil {
			return nil, fmt.Errorf("understand the inventory of the move: %w", err)
		}
		r, err := gzip.NewReader(bytes.NewReader(packed))
		if err != nil {
			return nil, fmt.Errorf("understand the inventory of the move: %w", err)
		}
		var part []entry
		if err := json.NewDecoder(r).Decode(&part); err != nil {
			return nil, fmt.Errorf("understand the inventory of the move: %w", err)
		}
		out = append(out, part...)
	}
	return out, nil
}

// deleteInventory removes its parts, the last first: one that was killed while it wrote them, or in here, has parts that its journal
// doesn't count, and finds them from the first on.
func (m *mover) deleteInventory(ctx context.Context) error {
	parts, err := m.countParts(ctx)
	if err != nil {
		return err
	}
	for n := parts - 1; n >= 0; n-- {
		err := kube.Retry(ctx, func(ctx context.Context) error {
			err := m.o.Source.SendDelete(ctx, kube.Target{GVK: gvkConfigMap(), Namespace: journalNamespace, Name: partName(n)}, metav1.DeleteOptions{})
			if apierrors.IsNotFound(err) {
				return nil
			}
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// countParts are the parts that the journal counts, and those after them that are there.
func (m *mover) countParts(ctx context.Context) (int, error) {
	for n := m.journal.Inventory; ; n++ {
		err := kube.Retry(ctx, func(ctx context.Context) error {
			_, err := m.o.Source.Get(ctx, gvkConfigMap(), journalNamespace, partName(n))
			return err
		})
		if apierrors.IsNotFound(err) {
			return n, nil
		} else if err != nil {
			return 0, err
		}
	}
}
