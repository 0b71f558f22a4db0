// SPDX-License-Identifier: Apache-2.0

package provider

import (
	"context"
	"fmt"
	"slices"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/clusterctl/clusterctl/pkg/kube"
)

var (
	leaseGVK = schema.GroupVersionKind{Group: "coordination.k8s.io", Version: "v1", Kind: "Lease"} //nolint:gochecknoglobals // constant
	podGVK   = schema.GroupVersionKind{Version: "v1", Kind: "Pod"}                                 //nolint:gochecknoglobals // constant
)

// podsGone waits until a workload that is deleted has no pods any more: until then its program may still write.
// It is nil for everything else.
func (u *uninstaller) podsGone(ctx context.Context, o *unstructured.Unstructured) (kube.Condition, error) {
	switch o.GetKind() {
	case "Deployment", "DaemonSet", "StatefulSet":
	default:
		return nil, nil
	}
	live, err := u.kube.Get(ctx, o.GroupVersionKind(), o.GetNamespace(), o.GetName())
	if apierrors.IsNotFound(err) {
		return nil, nil
	} else if err != nil {
		return nil, err
	}
	var selector metav1.LabelSelector
	raw, _, _ := unstructured.NestedMap(live.Object, "spec", "selector")
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(raw, &selector); err != nil {
		return nil, fmt.Errorf("selector of %s: %w", kube.RefOf(o), err)
	}
	text := metav1.FormatLabelSelector(&selector)
	return kube.ConditionFunc("pods of "+kube.RefOf(o).String(), func(ctx context.Context) (bool, string, error) {
		pods, err := u.kube.List(ctx, podGVK, kube.ListOptions{Namespace: o.GetNamespace(), LabelSelector: text, MetadataOnly: true})
		if err != nil || len(pods) == 0 {
			return err == nil, "", err
		}
		return false, fmt.Sprintf("pod %s is still there", pods[0].GetName()), nil
	}), nil
}

// removeLeases deletes the leases outside of its own namespaces that a program took by a Role of ours (cert-manager's are in kube-system). A
// Role names them; one that is older than its Role was somebody's before.
func (u *uninstaller) removeLeases(ctx context.Context, wave []*unstructured.Unstructured) error {
	for _, role := range wave {
		if role.GetKind() != "Role" {
			continue
		}
		full, err := u.kube.Get(ctx, role.GroupVersionKind(), role.GetNamespace(), role.GetName())
		if apierrors.IsNotFound(err) {
			continue
		} else if err != nil {
			return err
		}
		for _, name := range leasesOf(full) {
			lease, err := u.kube.Get(ctx, leaseGVK, role.GetNamespace(), name)
			if apierrors.IsNotFound(err) {
				continue
			} else if err != nil {
				return err
			}
			uid := lease.GetUID()
			if lease.GetCreationTimestamp().Time.Before(role.GetCreationTimestamp().Time) {
				continue
			}
			err = u.kube.Delete(ctx, leaseGVK, lease.GetNamespace(), name, metav1.DeleteOptions{Preconditions: &metav1.Preconditions{UID: &uid}})
			if err != nil && !apierrors.IsNotFound(err) && !apierrors.IsConflict(err) {
				return err
			}
			u.out.Removed++
		}
	}
	return nil
}

// leasesOf are the leases that a Role names.
func leasesOf(role *unstructured.Unstructured) []string {
	var out []string
	rules, _, _ := unstructured.NestedSlice(role.Object, "rules")
	for _, r := range rules {
		rule, _ := r.(map[string]any)
		groups, _, _ := unstructured.NestedStringSlice(rule, "apiGroups")
		resources, _, _ := unstructured.NestedStringSlice(rule, "resources")
		names, _, _ := unstructured.NestedStringSlice(rule, "resourceNames")
		if slices.Contains(groups, leaseGVK.Group) && slices.Contains(resources, "leases") {
			out = append(out, names...)
		}
	}
	return out
}
