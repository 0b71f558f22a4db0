// SPDX-License-Identifier: Apache-2.0

package kube

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/clusterctl/clusterctl/pkg/fault"
	"github.com/clusterctl/clusterctl/pkg/manifest"
)

// ApplyOptions say how objects are applied. The zero value applies as FieldManager and fails where another manager owns a field.
type ApplyOptions struct {
	// FieldManager owns the applied fields; default FieldManager.
	FieldManager string
	// Force takes fields over from other managers.
	Force bool
	// DryRun sends everything but has nothing stored; admission is asked.
	DryRun bool
	// SkipUnchanged reads first and leaves objects alone that already are as wanted: they hold everything that is
	// wanted, and the annotation AppliedHashAnnotation proves that nothing else was wanted before. The annotation is
	// written to every object that is applied with this option.
	SkipUnchanged bool
	// Namespace is for namespaced objects that name none; default "default".
	Namespace string
	// Step is the name of the step in progress events.
	Step string
	// Concurrency is how many requests are under way at once inside of a wave; default 8.
	Concurrency int
	// Origin tells where an object was read, for errors; nil and "" are allowed.
	Origin func(*unstructured.Unstructured) string
}

// Action is what Apply did to an object.
type Action string

// The actions, in the words of kubectl.
const (
	Created    Action = "created"
	Configured Action = "configured"
	Unchanged  Action = "unchanged"
)

// Applied is the outcome for one object.
type Applied struct {
	// GVK, Namespace and Name are the object's.
	GVK             schema.GroupVersionKind
	Namespace, Name string
	// Action is what was done, or in a dry run would be.
	Action Action
	// Unchecked says that a dry run couldn't ask the server, because the object's namespace or kind comes with the same set.
	Unchecked bool
}

// ApplyResult are the outcomes, in the order of the objects.
type ApplyResult struct {
	Objects []Applied
}

// Count is how many objects had an action.
func (r ApplyResult) Count(a Action) int {
	n := 0
	for _, o := range r.Objects {
		if o.Action == a {
			n++
		}
	}
	return n
}

// Summary is for people: "12 created, 3 configured, 80 unchanged".
func (r ApplyResult) Summary() string {
	var parts []string
	for _, a := range []Action{Created, Configured, Unchanged} {
		if n := r.Count(a); n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, a))
		}
	}
	if len(parts) == 0 {
		return "nothing to do"
	}
	return strings.Join(parts, ", ")
}

// Apply brings objects to the server by server-side apply, one write request an object, in the order of
// [manifest.Waves]; inside of a wave in parallel. After CRDs it waits until their kinds are served. It doesn't
// create namespaces that aren't among the objects, and doesn't change the objects given.
//
// It stops at the first wave with an error that can't heal (Forbidden, Invalid, no such kind) and names the
// objects; anything else (connection, 429, 5xx, conflict, a webhook that doesn't answer) is tried again until the
// context's deadline. Also with an error, the result tells what was done.
func (c *Client) Apply(ctx context.Context, objs []*unstructured.Unstructured, opts ApplyOptions) (ApplyResult, error) {
	opts.FieldManager = orDefault(opts.FieldManager, FieldManager)
	opts.Concurrency = orDefault(opts.Concurrency, parallel)
	opts.Namespace = orDefault(opts.Namespace, "default")
	a := &applier{Client: c, opts: opts, done: map[*unstructured.Unstructured]Applied{}, crds: map[schema.GroupKind]bool{}}
	for _, u := range objs {
		if u.GroupVersionKind().GroupKind() == gkCRD {
			a.crds[crdOf(u).groupKind()] = true
		}
	}
	var err error
	for _, wave := range manifest.Waves(objs) {
		if err = a.wave(ctx, wave); err != nil {
			break
		}
	}
	var r ApplyResult
	for _, u := range objs {
		if done, ok := a.done[u]; ok {
			r.Objects = append(r.Objects, done)
		}
	}
	return r, err
}

// applier is one call of Apply.
type applier struct {
	*Client
	opts ApplyOptions
	// crds are the kinds that come with the set.
	crds map[schema.GroupKind]bool
	// fresh are the namespaces that weren't there before.
	fresh []string

	mu   sync.Mutex
	done map[*unstructured.Unstructured]Applied
}

func (a *applier) wave(ctx context.Context, objs []*unstructured.Unstructured) error {
	targets, err := a.targets(ctx, objs)
	if err != nil {
		return err
	}
	if err := a.look(ctx, targets); err != nil {
		return err
	}
	if err := a.send(ctx, targets); err != nil {
		return err
	}
	var crds []crd
	for _, t := range targets {
		switch t.mapping.GroupVersionKind.GroupKind() {
		case gkCRD:
			crds = append(crds, crdOf(t.want))
		case gkNamespace:
			if t.live == nil && !t.unseen {
				a.fresh = append(a.fresh, t.name())
			}
		}
	}
	if a.opts.DryRun || len(crds) == 0 {
		return nil
	}
	return a.awaitServed(ctx, a.opts.Step, crds)
}

// send applies the targets in parallel. The first error that can't heal stops the others.
func (a *applier) send(ctx context.Context, targets []*target) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	errs := make([]error, len(targets))
	var wg sync.WaitGroup
	slots := make(chan struct{}, a.opts.Concurrency)
	for i, t := range targets {
		slots <- struct{}{}
		wg.Go(func() {
			defer func() { <-slots }()
			if errs[i] = a.one(ctx, t); errs[i] != nil {
				cancel()
			}
		})
	}
	wg.Wait()
	var faults fault.List
	for _, err := range errs {
		if !errors.Is(err, context.Canceled) {
			faults.Add(err)
		}
	}
	if err := faults.Err(); err != nil {
		return err
	}
	if i := slices.IndexFunc(errs, func(err error) bool { return err != nil }); i >= 0 {
		return errs[i]
	}
	return nil
}

func (a *applier) record(t *target, action Action, unchecked bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.done[t.source] = Applied{
		GVK: t.want.GroupVersionKind(), Namespace: t.want.GetNamespace(), Name: t.name(), Action: action, Unchecked: unchecked,
	}
}
