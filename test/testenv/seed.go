// SPDX-License-Identifier: Apache-2.0

package testenv

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	utilyaml "k8s.io/apimachinery/pkg/util/yaml"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/discovery/cached/memory"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/restmapper"
	"sigs.k8s.io/yaml"
)

// seedAgent is the user agent of fixtures, so that tests can tell their writes from those of the code under test.
const seedAgent = "testenv-seed"

// Seed stores the objects of YAML documents, in their order:
//   - a missing namespace is created; CRDs are waited for until they are served
//   - an ownerReference without uid gets that of the live owner (in the object's namespace, or cluster scoped); a given uid is kept
//   - status is written through the status subresource
//   - an object with the annotation "seed/delete" is deleted once it is stored, so that one with finalizers gets a deletionTimestamp
func (e *Env) Seed(tb testing.TB, docs ...string) {
	tb.Helper()
	if err := e.Store(docs...); err != nil {
		tb.Fatalf("seed %v", err)
	}
}

// Store is Seed outside of a test.
func (e *Env) Store(docs ...string) error {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	s, err := newSeeder(e.REST)
	if err != nil {
		return err
	}
	for _, doc := range docs {
		objs, err := split(doc)
		if err != nil {
			return err
		}
		for _, u := range objs {
			if err := s.store(ctx, u); err != nil {
				return fmt.Errorf("%s %s/%s: %w", u.GetKind(), u.GetNamespace(), u.GetName(), err)
			}
		}
	}
	return nil
}

type seeder struct {
	client dynamic.Interface
	mapper *restmapper.DeferredDiscoveryRESTMapper
}

func newSeeder(cfg *rest.Config) (*seeder, error) {
	cfg = rest.CopyConfig(cfg)
	cfg.UserAgent, cfg.WarningHandler = seedAgent, rest.NoWarnings{}
	client, err := dynamic.NewForConfig(cfg)
	if err != nil {
		return nil, err
	}
	disco, err := discovery.NewDiscoveryClientForConfig(cfg)
	if err != nil {
		return nil, err
	}
	mapper := restmapper.NewDeferredDiscoveryRESTMapper(memory.NewMemCacheClient(disco))
	return &seeder{client: client, mapper: mapper}, nil
}

func (s *seeder) store(ctx context.Context, u *unstructured.Unstructured) error {
	if err := s.ensureNamespace(ctx, u.GetNamespace()); err != nil {
		return err
	}
	if err := s.resolveOwners(ctx, u); err != nil {
		return err
	}
	annotations := u.GetAnnotations()
	_, drop := annotations["seed/delete"]
	delete(annotations, "seed/delete")
	u.SetAnnotations(annotations)
	status := u.Object["status"]
	delete(u.Object, "status")
	ri, err := s.resource(u.GroupVersionKind(), u.GetNamespace())
	if err != nil {
		return err
	}
	if _, err := ri.Apply(ctx, u.GetName(), u, metav1.ApplyOptions{FieldManager: seedAgent, Force: true}); err != nil {
		return err
	}
	if u.GetKind() == "CustomResourceDefinition" {
		return s.waitServed(ctx, ri, u.GetName())
	}
	if status != nil {
		if err := writeStatus(ctx, ri, u.GetName(), status); err != nil {
			return err
		}
	}
	if drop {
		return ri.Delete(ctx, u.GetName(), metav1.DeleteOptions{})
	}
	return nil
}

// resource finds the endpoint of a kind; a kind that came after the last look is looked for again.
func (s *seeder) resource(gvk schema.GroupVersionKind, ns string) (dynamic.ResourceInterface, error) {
	m, err := s.mapper.RESTMapping(gvk.GroupKind(), gvk.Version)
	if err != nil {
		s.mapper.Reset()
		if m, err = s.mapper.RESTMapping(gvk.GroupKind(), gvk.Version); err != nil {
			return nil, err
		}
	}
	if m.Scope.Name() == meta.RESTScopeNameNamespace {
		if ns == "" {
			ns = metav1.NamespaceDefault
		}
		return s.client.Resource(m.Resource).Namespace(ns), nil
	}
	return s.client.Resource(m.Resource), nil
}

func (s *seeder) ensureNamespace(ctx context.Context, ns string) error {
	if ns == "" {
		return nil
	}
	u := &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "v1", "kind": "Namespace", "metadata": map[string]any{"name": ns},
	}}
	_, err := s.client.Resource(schema.GroupVersionResource{Version: "v1", Resource: "namespaces"}).Create(ctx, u, metav1.CreateOptions{})
	if apierrors.IsAlreadyExists(err) {
		return nil
	}
	return err
}

func (s *seeder) resolveOwners(ctx context.Context, u *unstructured.Unstructured) error {
	refs, _, err := unstructured.NestedSlice(u.Object, "metadata", "ownerReferences")
	if err != nil || len(refs) == 0 {
		return err
	}
	for i := range refs {
		ref, ok := refs[i].(map[string]any)
		if !ok || ref["uid"] != nil {
			continue
		}
		gvk := schema.FromAPIVersionAndKind(fmt.Sprint(ref["apiVersion"]), fmt.Sprint(ref["kind"]))
		ri, err := s.resource(gvk, u.GetNamespace())
		if err != nil {
			return err
		}
		owner, err := ri.Get(ctx, fmt.Sprint(ref["name"]), metav1.GetOptions{})
		if err != nil {
			return fmt.Errorf("find owner: %w", err)
		}
		ref["uid"] = string(owner.GetUID())
	}
	return unstructured.SetNestedSlice(u.Object, refs, "metadata", "ownerReferences")
}

// waitServed waits until a CRD's kind is served, and discovery says so: that comes a moment later.
func (s *seeder) waitServed(ctx context.Context, crds dynamic.ResourceInterface, name string) error {
	for {
		u, err := crds.Get(ctx, name, metav1.GetOptions{})
		if err != nil {
			return err
		}
		if s.served(ctx, u) {
			return nil
		}
		select {
		case <-ctx.Done():
			return errors.New("CRD is not served")
		case <-time.After(50 * time.Millisecond):
		}
	}
}

func (s *seeder) served(ctx context.Context, crd *unstructured.Unstructured) bool {
	group, _, _ := unstructured.NestedString(crd.Object, "spec", "group")
	plural, _, _ := unstructured.NestedString(crd.Object, "spec", "names", "plural")
	versions, _, _ := unstructured.NestedSlice(crd.Object, "spec", "versions")
	for _, v := range versions {
		version, ok := v.(map[string]any)
		if !ok || version["served"] != true {
			continue
		}
		gvr := schema.GroupVersionResource{Group: group, Version: fmt.Sprint(version["name"]), Resource: plural}
		if _, err := s.client.Resource(gvr).List(ctx, metav1.ListOptions{Limit: 1}); apierrors.IsNotFound(err) {
			return false
		}
	}
	kind, _, _ := unstructured.NestedString(crd.Object, "spec", "names", "kind")
	s.mapper.Reset()
	_, err := s.mapper.RESTMapping(schema.GroupKind{Group: group, Kind: kind})
	return err == nil
}

func writeStatus(ctx context.Context, ri dynamic.ResourceInterface, name string, status any) error {
	patch, err := yaml.Marshal(map[string]any{"status": status})
	if err != nil {
		return err
	}
	if patch, err = yaml.YAMLToJSON(patch); err != nil {
		return err
	}
	_, err = ri.Patch(ctx, name, types.MergePatchType, patch, metav1.PatchOptions{FieldManager: seedAgent}, "status")
	if apierrors.IsNotFound(err) { // a kind without the subresource
		_, err = ri.Patch(ctx, name, types.MergePatchType, patch, metav1.PatchOptions{FieldManager: seedAgent})
	}
	return err
}

func split(docs string) ([]*unstructured.Unstructured, error) {
	var out []*unstructured.Unstructured
	r := utilyaml.NewYAMLReader(bufio.NewReader(strings.NewReader(docs)))
	for {
		doc, err := r.Read()
		if errors.Is(err, io.EOF) {
			return out, nil
		} else if err != nil {
			return nil, err
		}
		u := &unstructured.Unstructured{}
		if err := yaml.Unmarshal(doc, &u.Object); err != nil {
			return nil, err
		}
		if len(u.Object) > 0 {
			out = append(out, u)
		}
	}
}
