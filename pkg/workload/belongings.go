// SPDX-License-Identifier: Apache-2.0

package workload

import (
	"context"
	"fmt"
	"sort"
	"strings"
	"sync"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	"golang.org/x/sync/errgroup"

	"github.com/clusterctl/clusterctl/pkg/capi"
	"github.com/clusterctl/clusterctl/pkg/kube"
)

// Belonging is an object that belongs to a cluster: it carries the cluster's name label, or the Cluster owns it,
// directly or through others.
type Belonging struct {
	GVK             schema.GroupVersionKind
	Namespace, Name string
	UID             types.UID
	// Deleting says that the object has a deletion timestamp, Finalizers what keeps it.
	Deleting   bool
	Finalizers []string

	version string
	paused  bool
}

// String is "Kind name", with the finalizers if there are any.
func (b Belonging) String() string {
	if len(b.Finalizers) == 0 {
		return b.GVK.Kind + " " + b.Name
	}
	return fmt.Sprintf("%s %s (finalizer %s)", b.GVK.Kind, b.Name, strings.Join(b.Finalizers, ", "))
}

// Belongings is what belongs to a cluster.
type Belongings struct {
	// Objects are ordered by kind and name. The Cluster itself is not among them.
	Objects []Belonging
	// Unseen are kinds that could not be listed, with the reason.
	Unseen []string
}

// listAtOnce is how many LISTs run in parallel.
const listAtOnce = 6

// FindBelongings lists every kind of a Cluster API group and the Secrets in the cluster's namespace, metadata only. uid is the Cluster's;
// it may be empty when the Cluster is gone: then owner references are matched by name.
func FindBelongings(ctx context.Context, c *kube.Client, key types.NamespacedName, uid types.UID) (Belongings, error) {
	kinds, err := c.Kinds(ctx, capi.GroupSuffix)
	if err != nil {
		return Belongings{}, fmt.Errorf("find kinds of Cluster API: %w", err)
	}
	kinds = append(kinds, schema.GroupVersionKind{Version: "v1", Kind: "Secret"})
	var (
		mu   sync.Mutex
		all  []*unstructured.Unstructured
		out  Belongings
		jobs errgroup.Group
	)
	jobs.SetLimit(listAtOnce)
	for _, gvk := range kinds {
		jobs.Go(func() error {
			items, err := listNamespaced(ctx, c, gvk, key.Namespace)
			mu.Lock()
			defer mu.Unlock()
			if apierrors.IsForbidden(err) || apierrors.IsMethodNotSupported(err) {
				out.Unseen = append(out.Unseen, gvk.Kind)
				return nil
			}
			all = append(all, items...)
			return err
		})
	}
	if err := jobs.Wait(); err != nil {
		return Belongings{}, fmt.Errorf("list what belongs to Cluster %s: %w", key, err)
	}
	out.Objects = belongingTo(all, key, uid)
	sort.Strings(out.Unseen)
	return out, nil
}

func listNamespaced(ctx context.Context, c *kube.Client, gvk schema.GroupVersionKind, ns string) ([]*unstructured.Unstructured, error) {
	m, err := c.Mapping(ctx, gvk.GroupKind(), gvk.Version)
	if err == nil && m.Scope.Name() == meta.RESTScopeNameRoot {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	items, err := c.List(ctx, gvk, kube.ListOptions{Namespace: ns, MetadataOnly: true})
	if isNotFound(err) || isNoKind(err) {
		return nil, nil // the kind went away meanwhile
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", gvk.Kind, err)
	}
	for _, u := range items {
		u.SetGroupVersionKind(gvk)
	}
	return items, nil
}

// belongingTo picks the objects with the label, and those that the Cluster owns, over any number of steps.
func belongingTo(all []*unstructured.Unstructured, key types.NamespacedName, uid types.UID) []Belonging {
	owners := map[types.UID]bool{uid: uid != ""}
	taken := map[types.UID]bool{}
	for grown := true; grown; {
		grown = false
		for _, u := range all {
			if taken[u.GetUID()] || isCluster(u) || !belongs(u, key, owners, uid == "") {
				continue
			}
			taken[u.GetUID()], owners[u.GetUID()], grown = true, true, true
		}
	}
	var out []Belonging
	for _, u := range all {
		if taken[u.GetUID()] {
			out = append(out, belongingOf(u))
		}
	}
	sort.Slice(out, func(i, j int) bool {
		a, b := out[i], out[j]
		return a.GVK.Kind+"/"+a.Name < b.GVK.Kind+"/"+b.Name
	})
	return out
}

// belongingOf describes an object.
func belongingOf(u *unstructured.Unstructured) Belonging {
	return Belonging{
		GVK: u.GroupVersionKind(), Namespace: u.GetNamespace(), Name: u.GetName(), UID: u.GetUID(),
		Deleting: u.GetDeletionTimestamp() != nil, Finalizers: u.GetFinalizers(),
		version: u.GetResourceVersion(), paused: capi.Paused(u),
	}
}

func isCluster(u *unstructured.Unstructured) bool {
	return u.GroupVersionKind().GroupKind() == capi.ClusterGK()
}

func belongs(u *unstructured.Unstructured, key types.NamespacedName, owners map[types.UID]bool, byName bool) bool {
	if u.GetLabels()[capi.ClusterNameLabel] == key.Name {
		return true
	}
	for _, ref := range u.GetOwnerReferences() {
		if owners[ref.UID] || (byName && refersToCluster(ref, key.Name)) {
			return true
		}
	}
	return false
}

func refersToCluster(ref metav1.OwnerReference, name string) bool {
	gv, err := schema.ParseGroupVersion(ref.APIVersion)
	return err == nil && gv.Group == capi.GroupCore && ref.Kind == capi.KindCluster && ref.Name == name
}
