// SPDX-License-Identifier: Apache-2.0

package move

import (
	"context"
	"encoding/json"
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	"github.com/clusterctl/clusterctl/pkg/fault"
	"github.com/clusterctl/clusterctl/pkg/kube"
)

// restore writes what creating an object can't carry: its status, and the managers of its fields.
func (m *mover) restore(ctx context.Context) error {
	var todo []int
	for i, o := range m.plan.Objects {
		if !m.copies[i].found && (o.HasStatus || ownershipOf(o, m.marker()).restore) {
			todo = append(todo, i)
		}
	}
	p := m.progress("copy", len(todo))
	p.what = "status and field managers"
	defer p.stop()
	return m.dstWidth.each(ctx, len(todo), func(ctx context.Context, n int) error {
		i := todo[n]
		if err := m.restoreOne(ctx, i); err != nil {
			m.copies[i].version = "" // may have changed: the next try reads it
			return err
		}
		p.add()
		return nil
	})
}

func (m *mover) restoreOne(ctx context.Context, i int) error {
	o, c := m.plan.Objects[i], &m.copies[i]
	if c.version == "" {
		live, err := m.dst.Get(ctx, o.GVK(), o.Namespace, o.Name)
		if err != nil {
			return fmt.Errorf("target: %w", err)
		}
		if live.GetUID() != c.uid {
			return fault.Refusedf("%s on the target isn't the copy any more: somebody made it anew", o.Key)
		}
		c.version = live.GetResourceVersion()
	}
	own := ownershipOf(o, m.marker())
	if o.HasStatus {
		body, err := m.statusBody(i)
		if err != nil {
			return err
		}
		stored, err := m.dst.SendStatus(ctx, targetOf(o, own.statusManager), body)
		if err != nil {
			return fmt.Errorf("target: %w", err)
		}
		c.version = stored.ResourceVersion
	}
	if own.restore {
		return m.restoreManagers(ctx, i)
	}
	return nil
}

func (m *mover) restoreManagers(ctx context.Context, i int) error {
	o, c := m.plan.Objects[i], &m.copies[i]
	managers, err := m.managersFor(o)
	if err != nil {
		return err
	}
	patch, err := json.Marshal(map[string]any{"metadata": map[string]any{
		"uid": c.uid, "resourceVersion": c.version, "managedFields": managers,
	}})
	if err != nil {
		return err
	}
	stored, err := m.dst.SendPatch(ctx, targetOf(o, m.marker()), types.MergePatchType, patch)
	if err != nil {
		return fmt.Errorf("target: %w", err)
	}
	c.version = stored.ResourceVersion
	return nil
}

// ensureNamespaces makes the namespaces that the target lacks, with the labels and annotations that they have on the source.
func (m *mover) ensureNamespaces(ctx context.Context) error {
	if len(m.plan.Namespaces) == 0 {
		return nil
	}
	there, err := m.namespacesOf(ctx, m.dst)
	if err != nil {
		return fmt.Errorf("target: %w", err)
	}
	var missing []string
	for _, ns := range m.plan.Namespaces {
		if there[ns] == nil {
			missing = append(missing, ns)
		}
	}
	if len(missing) == 0 {
		return nil
	}
	source, err := m.sourceNamespaces(ctx)
	if err != nil {
		return fmt.Errorf("source: %w", err)
	}
	return m.dstWidth.each(ctx, len(missing), func(ctx context.Context, i int) error {
		ns := source[missing[i]]
		if ns == nil {
			return fmt.Errorf("namespace %s is gone from the source", missing[i])
		}
		body, err := namespaceBody(ns)
		if err != nil {
			return err
		}
		_, err = m.dst.SendCreate(ctx, kube.Target{GVK: schema.GroupVersionKind{Version: "v1", Kind: "Namespace"}, Name: missing[i]}, body)
		if err != nil && !apierrors.IsAlreadyExists(err) {
			return fmt.Errorf("target: %w", err)
		}
		return nil
	})
}
