// SPDX-License-Identifier: Apache-2.0

package kube

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"

	"github.com/clusterctl/clusterctl/pkg/event"
	"github.com/clusterctl/clusterctl/pkg/fault"
)

// target is one object on its way to the server.
type target struct {
	source  *unstructured.Unstructured
	want    *unstructured.Unstructured
	mapping *meta.RESTMapping
	// live is the object before; only its metadata where its content isn't needed.
	live *unstructured.Unstructured
	// full says that live has its content.
	full bool
	// unseen says that nobody could look whether the object is there.
	unseen bool
}

func (t *target) name() string { return t.want.GetName() }

// targets finds the endpoint of each object. Objects whose kind can't be known yet, in a dry run, are done with here.
func (a *applier) targets(ctx context.Context, objs []*unstructured.Unstructured) ([]*target, error) {
	var out []*target
	var faults fault.List
	for _, u := range objs {
		gvk := u.GroupVersionKind()
		t := &target{source: u, want: u}
		m, err := a.mapping(ctx, u)
		switch {
		case errors.Is(err, ErrNoKind) && a.opts.DryRun && a.crds[gvk.GroupKind()]:
			a.record(t, Created, true)
			continue
		case err != nil:
			faults.Add(fmt.Errorf("apply %s: %w", a.text(u), err))
			continue
		}
		t.mapping = m
		t.want = a.prepare(u, m)
		if a.opts.DryRun && slices.Contains(a.fresh, t.want.GetNamespace()) {
			a.record(t, Created, true)
			continue
		}
		out = append(out, t)
	}
	return out, faults.Err()
}

func (a *applier) mapping(ctx context.Context, u *unstructured.Unstructured) (*meta.RESTMapping, error) {
	gvk := u.GroupVersionKind()
	var m *meta.RESTMapping
	err := retry(ctx, a.failing(u), func(ctx context.Context) error {
		var err error
		m, err = a.Mapping(ctx, gvk.GroupKind(), gvk.Version)
		return err
	})
	return m, err
}

// prepare copies an object and takes out what belongs to the server, so that output of "get -o yaml" can be applied.
func (a *applier) prepare(u *unstructured.Unstructured, m *meta.RESTMapping) *unstructured.Unstructured {
	want := u.DeepCopy()
	for _, field := range []string{"managedFields", "resourceVersion", "uid", "creationTimestamp", "generation", "selfLink"} {
		unstructured.RemoveNestedField(want.Object, "metadata", field)
	}
	switch {
	case m.Scope.Name() != meta.RESTScopeNameNamespace:
		want.SetNamespace("")
	case want.GetNamespace() == "":
		want.SetNamespace(a.opts.Namespace)
	}
	if a.opts.SkipUnchanged {
		setHash(want)
	}
	return want
}

// one applies one object, unless it is as wanted already.
func (a *applier) one(ctx context.Context, t *target) error {
	if a.opts.SkipUnchanged && t.full && isApplied(t.want, t.live) {
		a.record(t, Unchanged, false)
		return nil
	}
	data, err := json.Marshal(t.want.Object)
	if err != nil {
		return fmt.Errorf("apply %s: %w", a.text(t.source), err)
	}
	opts := metav1.PatchOptions{FieldManager: a.opts.FieldManager, Force: &a.opts.Force}
	if a.opts.DryRun {
		opts.DryRun = dryRunAll
	}
	endpoint := a.endpoint(t.mapping, t.want.GetNamespace())
	var got *unstructured.Unstructured
	err = retry(ctx, a.failing(t.source), func(ctx context.Context) error {
		var err error
		got, err = endpoint.Patch(ctx, t.name(), types.ApplyPatchType, yamlSafe(data), opts)
		return a.explain(err)
	})
	if err != nil && a.changedSince(t, err) {
		a.record(t, Unchanged, false)
		return nil
	}
	if err != nil {
		return a.refused(t, err)
	}
	a.record(t, t.action(got), false)
	return nil
}

// action compares the object before and after.
func (t *target) action(got *unstructured.Unstructured) Action {
	switch {
	case t.unseen && time.Since(got.GetCreationTimestamp().Time) < time.Minute && got.GetGeneration() <= 1:
		return Created // the best guess without the right to look
	case t.unseen:
		return Configured
	case t.live == nil:
		return Created
	case t.live.GetUID() == got.GetUID() && t.live.GetResourceVersion() == got.GetResourceVersion():
		return Unchanged
	}
	return Configured
}

// changedSince says that nothing else is wanted than what was applied before, and that somebody set fields of it otherwise since, as by
// kubectl scale: to go on isn't to undo that.
func (a *applier) changedSince(t *target, err error) bool {
	if !a.opts.SkipUnchanged || !t.full || !isFieldConflict(err) || hashOf(t.want) == "" || hashOf(t.want) != hashOf(t.live) {
		return false
	}
	if !a.opts.DryRun {
		event.Notef(a.sink, "%s stays as it was changed since: %s", objectText(t.want.GetKind(), t.want.GetNamespace(), t.name()), fieldConflicts(err))
	}
	return true
}

// refused words why an object couldn't be applied.
func (a *applier) refused(t *target, err error) error {
	out := fmt.Errorf("apply %s: %w", a.text(t.source), err)
	switch class := Classify(err); {
	case class == ClassNotFound && t.want.GetNamespace() != "" && !errors.Is(err, ErrNoKind):
		return fault.WithHint(out, "create the namespace %s first, or put it among the objects", t.want.GetNamespace())
	case isFieldConflict(err):
		return fault.WithHint(out, "somebody else has set these fields since: ask for the values that they have now, or change them to what you want in the same way first")
	}
	return out
}

// text names an object in errors, with the place that it was read from.
func (a *applier) text(u *unstructured.Unstructured) string {
	s := objectText(u.GetKind(), u.GetNamespace(), u.GetName())
	if a.opts.Origin != nil {
		if origin := a.opts.Origin(u); origin != "" {
			s += " (" + origin + ")"
		}
	}
	return s
}

// failing tells the sink why an object is tried again.
func (a *applier) failing(u *unstructured.Unstructured) func(error) {
	return func(err error) {
		event.Progressf(a.sink, a.opts.Step, "%s: %v", objectText(u.GetKind(), u.GetNamespace(), u.GetName()), err)
	}
}
