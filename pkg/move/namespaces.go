// SPDX-License-Identifier: Apache-2.0

package move

import (
	"context"
	"encoding/json"
	"strings"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/clusterctl/clusterctl/pkg/kube"
	"github.com/clusterctl/clusterctl/pkg/move/plan"
)

func (m *mover) namespacesOf(ctx context.Context, c *kube.Client) (map[string]*unstructured.Unstructured, error) {
	var list []*unstructured.Unstructured
	err := kube.Retry(ctx, func(ctx context.Context) error {
		var err error
		list, err = c.List(ctx, schema.GroupVersionKind{Version: "v1", Kind: "Namespace"}, kube.ListOptions{MetadataOnly: true})
		return err
	})
	if err != nil {
		return nil, err
	}
	out := make(map[string]*unstructured.Unstructured, len(list))
	for _, ns := range list {
		out[ns.GetName()] = ns
	}
	return out, nil
}

// namespaceBody keeps what people and policies put on a namespace.
func namespaceBody(ns *unstructured.Unstructured) ([]byte, error) {
	labels, annotations := map[string]string{}, map[string]string{}
	for k, v := range ns.GetLabels() {
		if k != "kubernetes.io/metadata.name" {
			labels[k] = v
		}
	}
	for k, v := range ns.GetAnnotations() {
		if k != "kubectl.kubernetes.io/last-applied-configuration" && !strings.HasPrefix(k, "openshift.io/sa.scc.") {
			annotations[k] = v
		}
	}
	return json.Marshal(map[string]any{
		"apiVersion": "v1", "kind": "Namespace",
		"metadata": map[string]any{"name": ns.GetName(), "labels": labels, "annotations": annotations},
	})
}

// uidOnTarget finds an owner that isn't part of the move by its name; "" where the target has none.
func (m *mover) uidOnTarget(ctx context.Context, o *plan.Object, ref metav1.OwnerReference) (types.UID, error) {
	gv, err := schema.ParseGroupVersion(ref.APIVersion)
	if err != nil {
		return "", nil //nolint:nilerr // what isn't a version of anything is nowhere
	}
	mapping, err := m.dst.Mapping(ctx, schema.GroupKind{Group: gv.Group, Kind: ref.Kind})
	if err != nil {
		if apierrors.IsNotFound(err) || kube.Classify(err) == kube.ClassFatal {
			return "", nil
		}
		return "", err
	}
	ns := o.Namespace
	if mapping.Scope.Name() == meta.RESTScopeNameRoot {
		ns = ""
	}
	live, err := m.dst.Get(ctx, mapping.GroupVersionKind, ns, ref.Name)
	if apierrors.IsNotFound(err) {
		return "", nil
	} else if err != nil {
		return "", err
	}
	return live.GetUID(), nil
}

// sourceNamespaces are those of the source, or of the folder that takes its place.
func (m *mover) sourceNamespaces(ctx context.Context) (map[string]*unstructured.Unstructured, error) {
	if m.dir == nil {
		return m.namespacesOf(ctx, m.src)
	}
	out := map[string]*unstructured.Unstructured{}
	for _, name := range m.plan.Namespaces {
		u := &unstructured.Unstructured{Object: map[string]any{}}
		u.SetName(name)
		if m.dir.man != nil {
			u.SetLabels(m.dir.man.Namespaces[name].Labels)
			u.SetAnnotations(m.dir.man.Namespaces[name].Annotations)
		}
		out[name] = u
	}
	return out, nil
}
