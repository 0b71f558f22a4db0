// SPDX-License-Identifier: Apache-2.0

package provider

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/clusterctl/clusterctl/pkg/fault"
	"github.com/clusterctl/clusterctl/pkg/kube"
)

// fewNames is how many objects an error names.
const fewNames = 5

// checkUnused refuses the removal of definitions whose kinds have objects that aren't removed as well, and weren't made for one that is.
func (u *uninstaller) checkUnused(ctx context.Context, going []*unstructured.Unstructured) error {
	var others []*unstructured.Unstructured
	for _, o := range going {
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
		others = append(others, list...)
	}
	used := &InUseError{}
	for _, i := range u.notOurs(others) {
		if used.Total++; len(used.By) < fewNames {
			used.By = append(used.By, kube.RefOf(i).String())
		}
	}
	if used.Total > 0 {
		return fault.WithCode(fault.Refused, used)
	}
	return nil
}

// notOurs leaves out what is ours, and what controllers made for it, as cert-manager makes CertificateRequests for Certificates.
func (u *uninstaller) notOurs(objs []*unstructured.Unstructured) []*unstructured.Unstructured {
	for {
		var left []*unstructured.Unstructured
		for _, o := range objs {
			made := slices.ContainsFunc(o.GetOwnerReferences(), func(r metav1.OwnerReference) bool { return u.ours[r.UID] })
			if made || u.ours[o.GetUID()] {
				u.ours[o.GetUID()] = true
			} else {
				left = append(left, o)
			}
		}
		if len(left) == len(objs) {
			return left
		}
		objs = left
	}
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
	for _, v := range versions { // any served one shows all objects; a newer one comes without a warning
		if m, _ := v.(map[string]any); m["served"] == true && (gvk.Version == "" || m["storage"] == true) {
			gvk.Version, _, _ = unstructured.NestedString(m, "name")
		}
	}
	return gvk, nil
}

// keepNamespaces takes namespaces out that hold something which nobody but its owner may take away.
func (u *uninstaller) keepNamespaces(ctx context.Context, objs []*unstructured.Unstructured) ([]*unstructured.Unstructured, error) {
	var going []*unstructured.Unstructured
	for _, o := range objs {
		if !isNamespace(o) {
			going = append(going, o)
			continue
		}
		held, err := u.kube.InNamespace(ctx, o.GetName(), comesByItself)
		if err != nil {
			return nil, err
		}
		held = slices.DeleteFunc(held, func(h *unstructured.Unstructured) bool { return u.ours[h.GetUID()] || goesAlong(h) })
		if len(held) == 0 {
			going = append(going, o)
			continue
		}
		slices.SortFunc(held, func(a, b *unstructured.Unstructured) int {
			return cmp.Compare(kube.RefOf(a).String(), kube.RefOf(b).String())
		})
		u.out.Kept = append(u.out.Kept, fmt.Sprintf("namespace %s: it holds %s", o.GetName(), kube.RefOf(held[0])))
	}
	return going, nil
}

// comesByItself are kinds whose objects controllers of the cluster make for others, or that say nothing after these are gone.
func comesByItself(gk schema.GroupKind) bool {
	switch gk {
	case schema.GroupKind{Kind: "Event"}, schema.GroupKind{Group: "events.k8s.io", Kind: "Event"}, schema.GroupKind{Group: "coordination.k8s.io", Kind: "Lease"},
		schema.GroupKind{Kind: "Endpoints"}, schema.GroupKind{Group: "discovery.k8s.io", Kind: "EndpointSlice"},
		schema.GroupKind{Group: "apps", Kind: "ControllerRevision"}, schema.GroupKind{Group: "metrics.k8s.io", Kind: "PodMetrics"}:
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
