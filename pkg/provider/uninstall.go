// SPDX-License-Identifier: Apache-2.0

package provider

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"

	"github.com/clusterctl/clusterctl/pkg/capi"
	"github.com/clusterctl/clusterctl/pkg/event"
	"github.com/clusterctl/clusterctl/pkg/fault"
	"github.com/clusterctl/clusterctl/pkg/kube"
	"github.com/clusterctl/clusterctl/pkg/manifest"
)

// InUseError says that what was installed can't go, because it is used.
type InUseError struct {
	// By are the objects that would lose their kind or their controllers, as "Kind namespace/name"; at most a few.
	By []string
	// Total is how many there are.
	Total int
}

// Error names them.
func (e *InUseError) Error() string {
	text := strings.Join(e.By, ", ")
	if more := e.Total - len(e.By); more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return "in use by " + text
}

// UninstallOptions say how progress of a removal is reported; the zero value is good.
type UninstallOptions struct {
	Sink     event.Sink
	Step     string
	Interval time.Duration
}

// Uninstalled says what a removal did.
type Uninstalled struct {
	// Removed is how many objects are gone.
	Removed int
	// Kept are those that stay, each with its reason.
	Kept []string
	// Unseen are those that may not be looked at, and so are there still or not.
	Unseen []kube.Ref
}

// Uninstall takes objects away that an installation put on a cluster, and waits until they are gone: webhooks first, then what runs, then
// rights and definitions, namespaces last. Objects that are gone already, or that somebody else made anew since, are left alone.
//
// It is refused before the first deletion, with an *InUseError, while there is any object of a kind that would go. A namespace that
// holds something of somebody else stays, and is told of. Both are looked at once more right before definitions and namespaces go, since
// others may have begun to use them: then it ends there, with an error.
func Uninstall(ctx context.Context, c *kube.Client, installed []kube.Ref, opts UninstallOptions) (Uninstalled, error) {
	u := &uninstaller{kube: c, opts: opts, ours: map[types.UID]bool{}}
	if u.opts.Interval == 0 {
		u.opts.Interval = defaultInterval
	}
	objs := make([]*unstructured.Unstructured, len(installed))
	for i, ref := range installed {
		if ref.GVK().GroupKind() == capi.ClusterGK() { // whoever says so is wrong: a Cluster is never a part of an installation
			return Uninstalled{}, fault.WithCode(fault.Refused, &InUseError{By: []string{ref.String()}, Total: 1})
		}
		objs[i] = ref.Object()
	}
	c.Invalidate()
	there, missing, err := c.Look(ctx, objs)
	if err != nil {
		return Uninstalled{}, err
	}
	u.out.Unseen = unseen(installed, there, missing)
	there = slices.DeleteFunc(there, func(o *unstructured.Unstructured) bool { return !appliedByUs(o) })
	for _, o := range there {
		u.ours[o.GetUID()] = true
	}
	if err := u.checkUnused(ctx, there); err != nil {
		return Uninstalled{}, err
	}
	if there, err = u.keepNamespaces(ctx, there); err != nil {
		return Uninstalled{}, err
	}
	waves := manifest.Waves(there)
	slices.Reverse(waves)
	for _, wave := range waves {
		if wave, err = u.again(ctx, wave); err != nil {
			return u.out, err
		}
		if err := u.removeLeases(ctx, wave); err != nil { // while the Role that names them is there
			return u.out, err
		}
		for _, objs := range aggregatedFirst(wave) {
			if err := u.remove(ctx, objs); err != nil {
				return u.out, err
			}
		}
		u.out.Removed += len(wave)
	}
	c.Invalidate()
	return u.out, nil
}

type uninstaller struct {
	kube *kube.Client
	opts UninstallOptions
	// ours are the objects that go, and what was made because of them.
	ours map[types.UID]bool
	out  Uninstalled
}

// appliedByUs says whether we made an object. Upstream's clusterctl has the same name as a field manager, but doesn't apply; our own moves
// create namespaces and Cluster API's kinds without applying them.
func appliedByUs(o *unstructured.Unstructured) bool {
	moved := isNamespace(o) || strings.HasSuffix(o.GroupVersionKind().Group, capi.GroupSuffix)
	return slices.ContainsFunc(o.GetManagedFields(), func(m metav1.ManagedFieldsEntry) bool {
		return m.Manager == kube.FieldManager && (moved || m.Operation == metav1.ManagedFieldsOperationApply)
	})
}

// applies says whether an object has a field of ours, as its metadata alone shows.
func applies(o *unstructured.Unstructured, field string) bool {
	return slices.ContainsFunc(o.GetManagedFields(), func(m metav1.ManagedFieldsEntry) bool {
		return m.Manager == kube.FieldManager && kube.Manages(m, field)
	})
}

// unseen are those that are neither there nor missing.
func unseen(all []kube.Ref, there []*unstructured.Unstructured, missing []kube.Ref) []kube.Ref {
	known := map[kube.Ref]bool{}
	for _, r := range missing {
		known[unversioned(r)] = true
	}
	for _, o := range there {
		known[unversioned(kube.RefOf(o))] = true
	}
	return slices.DeleteFunc(slices.Clone(all), func(r kube.Ref) bool { return known[unversioned(r)] })
}

func unversioned(r kube.Ref) kube.Ref {
	r.Version = ""
	return r
}

// again looks once more, right before definitions and namespaces go.
func (u *uninstaller) again(ctx context.Context, wave []*unstructured.Unstructured) ([]*unstructured.Unstructured, error) {
	var used *InUseError
	if err := u.checkUnused(ctx, wave); errors.As(err, &used) && u.out.Removed > 0 {
		return nil, fault.WithHint(fault.Refusedf("%d objects are removed, and the definitions stay: meanwhile they came %w", u.out.Removed, used),
			"install the providers there again: clusterctl init")
	} else if err != nil {
		return nil, err
	}
	return u.keepNamespaces(ctx, wave)
}

// aggregatedFirst has ClusterRoles that are made of others go, and be gone, before these: Kubernetes' own controller applies what is left of
// the parts to an aggregated one whenever a part goes, and that makes one anew which was deleted at the same time.
func aggregatedFirst(wave []*unstructured.Unstructured) [][]*unstructured.Unstructured {
	var aggregated, others []*unstructured.Unstructured
	for _, o := range wave {
		if o.GetKind() == "ClusterRole" && applies(o, "aggregationRule") {
			aggregated = append(aggregated, o)
		} else {
			others = append(others, o)
		}
	}
	return [][]*unstructured.Unstructured{aggregated, others}
}

// remove deletes objects side by side and waits until they are gone.
func (u *uninstaller) remove(ctx context.Context, objs []*unstructured.Unstructured) error {
	conds, err := u.goneConditions(ctx, objs)
	if err != nil {
		return err
	}
	g, gctx := errgroup.WithContext(ctx)
	g.SetLimit(8)
	background := metav1.DeletePropagationBackground
	for _, o := range objs {
		uid := o.GetUID()
		g.Go(func() error {
			opts := metav1.DeleteOptions{PropagationPolicy: &background, Preconditions: &metav1.Preconditions{UID: &uid}}
			err := u.kube.Delete(gctx, o.GroupVersionKind(), o.GetNamespace(), o.GetName(), opts)
			if apierrors.IsNotFound(err) || apierrors.IsConflict(err) || errors.Is(err, kube.ErrNoKind) {
				return nil // gone, or somebody else's by now
			}
			return err
		})
	}
	if err := g.Wait(); err != nil {
		return err
	}
	return kube.Wait(ctx, u.opts.Sink, u.opts.Step, u.opts.Interval, conds...)
}

// goneConditions are what to wait for after a deletion.
func (u *uninstaller) goneConditions(ctx context.Context, objs []*unstructured.Unstructured) ([]kube.Condition, error) {
	var conds []kube.Condition
	for _, o := range objs {
		conds = append(conds, u.kube.ObjectCondition(o.GroupVersionKind(), o.GetNamespace(), o.GetName(), goneOrAnew(o.GetUID())))
		pods, err := u.podsGone(ctx, o)
		if err != nil {
			return nil, err
		}
		if pods != nil {
			conds = append(conds, pods)
		}
	}
	return conds, nil
}

func goneOrAnew(uid types.UID) func(context.Context, *unstructured.Unstructured) (bool, string, error) {
	return func(_ context.Context, live *unstructured.Unstructured) (bool, string, error) {
		if live == nil || live.GetUID() != uid {
			return true, "", nil
		}
		if f := live.GetFinalizers(); len(f) > 0 {
			return false, "is being deleted, held by " + strings.Join(f, ", "), nil
		}
		return false, "is being deleted", nil
	}
}
