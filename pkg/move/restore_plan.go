// SPDX-License-Identifier: Apache-2.0

package move

import (
	"context"
	"fmt"
	"slices"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/clusterctl/clusterctl/pkg/capi"
	"github.com/clusterctl/clusterctl/pkg/fault"
	"github.com/clusterctl/clusterctl/pkg/move/plan"
)

// kindsIn names the kinds of objects as flags do. All of them are asked for: what somebody put into a backup comes back, whether
// something leads to it or not.
func kindsIn(objs []*unstructured.Unstructured) []string {
	seen := map[string]bool{}
	var out []string
	for _, u := range objs {
		name := u.GroupVersionKind().GroupKind().String()
		if !seen[name] {
			seen[name] = true
			out = append(out, name)
		}
	}
	slices.Sort(out)
	return out
}

// planFiles makes the plan of what was read. The target has to know all kinds, in the versions of the files.
func (m *mover) planFiles(ctx context.Context) (*plan.Plan, error) {
	var faults fault.List
	if err := m.filesServed(ctx, &faults); err != nil {
		return nil, err
	}
	if err := faults.Err(); err != nil {
		return nil, fault.WithCode(fault.Refused, err)
	}
	kinds, err := plan.ReadKinds(ctx, m.dst)
	if err != nil {
		return nil, fmt.Errorf("target: %w", err)
	}
	for _, u := range m.dir.objs {
		if _, ok := kinds[u.GroupVersionKind().GroupKind()]; !ok {
			faults.Add(fault.Refusedf("%s can't be restored: only custom resources, Secrets and ConfigMaps are moved", u.GroupVersionKind().GroupKind()))
		}
	}
	if err := faults.Err(); err != nil {
		return nil, fault.WithCode(fault.Refused, err)
	}
	return plan.FromObjects(m.dir.objs, kinds.Converted(), m.o.Scope)
}

// planFilesAlone makes the plan with what the files say of their kinds.
func planFilesAlone(ro RestoreOptions) (*plan.Plan, error) {
	dir, err := readDirectory(ro.Dir, ro.Decrypt)
	if err != nil {
		return nil, err
	}
	kinds := plan.Kinds{}
	for _, u := range dir.objs {
		gvk := u.GroupVersionKind()
		if gvk.Group != "" {
			kinds[gvk.GroupKind()] = plan.Kind{GroupVersionKind: gvk, Namespaced: u.GetNamespace() != "", Status: true}
		}
	}
	return plan.FromObjects(dir.objs, kinds, plan.Scope{All: true, Include: kindsIn(dir.objs), Exclude: ro.Exclude, AllowOrphans: ro.AllowOrphans})
}

func (m *mover) filesServed(ctx context.Context, faults *fault.List) error {
	var kinds []schema.GroupVersionKind
	for _, u := range m.dir.objs {
		if gvk := u.GroupVersionKind(); !slices.Contains(kinds, gvk) {
			kinds = append(kinds, gvk)
		}
	}
	slices.SortFunc(kinds, func(a, b schema.GroupVersionKind) int {
		return slices.Compare([]string{a.Group, a.Kind, a.Version}, []string{b.Group, b.Kind, b.Version})
	})
	for _, gvk := range kinds {
		versions, err := m.dst.Served(ctx, gvk.GroupKind())
		switch {
		case err != nil:
			return fmt.Errorf("target: %w", err)
		case len(versions) == 0:
			faults.Add(fault.WithHint(fault.Refusedf("the target doesn't know %s (%s): its provider isn't installed there", gvk.Kind, gvk.Group), "install the same providers there first: clusterctl init"))
		case !slices.Contains(versions, gvk.Version):
			err := fault.Refusedf("the target serves %s (%s) in %s, the files have it in %s", gvk.Kind, gvk.Group, first(versions, 5), gvk.Version)
			faults.Add(fault.WithHint(err, "install a version of the provider that serves %s", gvk.Version))
		}
	}
	return nil
}

// pausedInFiles has the objects come paused, as if they had been paused before they were read.
func (m *mover) pausedInFiles() {
	paused := map[plan.Key]PausedObject{}
	for _, p := range m.journal.Paused {
		paused[p.Key] = p
	}
	for _, o := range m.plan.Objects {
		if p, ok := paused[o.Key]; ok {
			_ = nowPaused(o.Source, p, o.Source.GetResourceVersion())
		}
	}
}

// decidePauses writes down what the restore pauses: everything that isn't, of what it creates. What belongs to a Cluster that is there
// already, and runs, gets a pause of its own.
func (m *mover) decidePauses() {
	there := map[plan.Key]bool{}
	for i, o := range m.plan.Objects {
		if m.copies[i].found {
			there[o.Key] = true
		}
	}
	for _, o := range m.plan.Objects {
		if there[plan.Key{GroupKind: capi.ClusterGK(), Namespace: o.Cluster.Namespace, Name: o.Cluster.Name}] {
			o.PausedByCluster = false
		}
	}
	isThere := func(p PausedObject) bool { return there[p.Key] }
	paused, held := m.toPause()
	m.journal.Paused, m.journal.Held = slices.DeleteFunc(paused, isThere), slices.DeleteFunc(held, isThere)
	m.held = nil // read anew from the journal
}
