// SPDX-License-Identifier: Apache-2.0

package provider

import (
	"cmp"
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
	"k8s.io/apimachinery/pkg/runtime/schema"
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
}

// Uninstall takes objects away that an installation put on a cluster, and waits until they are gone: webhooks first, then what runs, then
// rights and definitions, namespaces last. Objects that are gone already, or that somebody else made anew since, are left alone.
//
// It is refused before the first deletion, with an *InUseError, while there is any object of a kind that would go. A namespace that
// holds something of somebody else stays, and is told of.
func Uninstall(ctx context.Context, c *kube.Client, installed []kube.Ref, opts UninstallOptions) (Uninstalled, error) {
	u := &uninstaller{kube: c, opts: opts, ours: map[objectKey]bool{}}
	if u.opts.Interval == 0 {
		u.opts.Interval = defaultInterval
	}
	objs := make([]*unstructured.Unstructured, len(installed))
	for i, ref := range installed {
		if ref.GVK().GroupKind() == capi.ClusterGK() { // whoever says so is wrong: a Cluster is never a part of an installation
			return Uninstalled{}, fault.WithCode(fault.Refused, &InUseError{By: []string{ref.String()}, Total: 1})
		}
		objs[i] = ref.Object()
		u.ours[keyOf(objs[i])] = true
	}
	c.Invalidate()
	there, _, err := c.Look(ctx, objs)
	if err != nil {
		return Uninstalled{}, err
	}
	u.there = slices.DeleteFunc(there, func(o *unstructured.Unstructured) bool { return !appliedByUs(o) })
	if err := u.checkUnused(ctx); err != nil {
		return Uninstalled{}, err
	}
	if err := u.keepNamespaces(ctx); err != nil {
		return Uninstalled{}, err
	}
	waves := manifest.Waves(u.there)
	slices.Reverse(waves)
	for _, wave := range waves {
		if err := u.remove(ctx, wave); err != nil {
			return u.out, err
		}
		u.out.Removed += len(wave)
	}
	c.Invalidate()
	return u.out, nil
}

type uninstaller struct {
	kube  *kube.Client
	opts  UninstallOptions
	ours  map[objectKey]bool
	there []*unstructured.Unstructured
	out   Uninstalled
}

// appliedByUs says whether fields of an object are ours.
func appliedByUs(o *unstructured.Unstructured) bool {
	return slices.ContainsFunc(o.GetManagedFields(), func(m metav1.ManagedFieldsEntry) bool { return m.Manager == kube.FieldManager })
}

// fewNames is how many objects an error names.
const fewNames = 5

// checkUnused refuses the removal of definitions whose kinds have objects that aren't removed as well.
func (u *uninstaller) checkUnused(ctx context.Context) error {
	used := &InUseError{}
	for _, o := range u.there {
		if !isCRD(o) {
			continue
		}
		kind, err := u.definedKind(ctx, o.GetName())
		if err != nil {
			return err
		}
		if kind.Kind == "" {
			continue // It went meanwhile; the others are still to be looked at.
		}
		list, err := u.kube.List(ctx, kind, kube.ListOptions{MetadataOnly: true})
		if err != nil && !errors.Is(err, kube.ErrNoKind) && !apierrors.IsNotFound(err) {
			return err
		}
		for _, i := range list {
			if u.ours[keyOf(i)] {
				continue
			}
			if used.Total++; len(used.By) < fewNames {
				used.By = append(used.By, kube.RefOf(i).String())
			}
		}
	}
	if used.Total > 0 {
		return fault.WithCode(fault.Refused, used)
	}
	return nil
}

// definedKind is what a definition defines; the zero value where it is gone.
func (u *uninstaller) definedKind(ctx context.Context, name string) (schema.GroupVersionKind, error) {
	crd, err := u.kube.Get(ctx, schema.GroupVersionKind{Group: "apiextensions.k8s.io", Version: "v1", Kind: "CustomResourceDefinition"}, "", name)
	if apierrors.IsNotFound(err) {
		return schema.GroupVersionKind{}, nil
	} else if err != nil {
		return schema.GroupVersionKind{}, err
	}
	gvk := schema.GroupVersionKind{}
	gvk.Group, _, _ = unstructured.NestedString(crd.Object, "spec", "group")
	gvk.Kind, _, _ = unstructured.NestedString(crd.Object, "spec", "names", "kind")
	versions, _, _ := unstructured.NestedSlice(crd.Object, "spec", "versions")
	for _, v := range versions {
		if m, _ := v.(map[string]any); m["storage"] == true {
			gvk.Version, _, _ = unstructured.NestedString(m, "name")
		}
	}
	return gvk, nil
}

// keepNamespaces takes namespaces out that hold something which nobody but its owner may take away.
func (u *uninstaller) keepNamespaces(ctx context.Context) error {
	var going []*unstructured.Unstructured
	for _, o := range u.there {
		if !isNamespace(o) {
			going = append(going, o)
			continue
		}
		held, err := u.kube.InNamespace(ctx, o.GetName(), comesByItself)
		if err != nil {
			return err
		}
		held = slices.DeleteFunc(held, func(h *unstructured.Unstructured) bool { return u.ours[keyOf(h)] || goesAlong(h) })
		if len(held) == 0 {
			going = append(going, o)
			continue
		}
		slices.SortFunc(held, func(a, b *unstructured.Unstructured) int {
			return cmp.Compare(kube.RefOf(a).String(), kube.RefOf(b).String())
		})
		u.out.Kept = append(u.out.Kept, fmt.Sprintf("namespace %s: it holds %s", o.GetName(), kube.RefOf(held[0])))
	}
	u.there = going
	return nil
}

// comesByItself are kinds whose objects controllers of the cluster make for others, or that say nothing after these are gone.
func comesByItself(gk schema.GroupKind) bool {
	switch gk.Kind {
	case "Event", "Lease", "Endpoints", "EndpointSlice", "ControllerRevision", "PodMetrics":
		return true
	}
	return false
}

// goesAlong says of an object in a namespace of ours that it was made because of ours, so that it goes with the namespace.
func goesAlong(o *unstructured.Unstructured) bool {
	switch {
	case len(o.GetOwnerReferences()) > 0:
		return true
	case o.GetKind() == "ConfigMap" && (o.GetName() == "kube-root-ca.crt" || o.GetName() == "openshift-service-ca.crt"):
		return true
	case o.GetKind() == "ServiceAccount" && o.GetName() == "default":
		return true
	case o.GetKind() == "Secret":
		a := o.GetAnnotations()
		return a["kubernetes.io/service-account.name"] != "" || a[certManagerGroup+"/certificate-name"] != "" || a[certManagerGroup+"/allow-direct-injection"] != ""
	}
	return false
}

// remove deletes objects side by side and waits until they are gone.
func (u *uninstaller) remove(ctx context.Context, objs []*unstructured.Unstructured) error {
	g, gctx := errgroup.WithContext(ctx)
	g.SetLimit(8)
	background := metav1.DeletePropagationBackground
	conds := make([]kube.Condition, len(objs))
	for i, o := range objs {
		uid := o.GetUID()
		conds[i] = u.kube.ObjectCondition(o.GroupVersionKind(), o.GetNamespace(), o.GetName(), goneOrAnew(uid))
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
