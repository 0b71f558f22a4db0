// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"golang.org/x/sync/errgroup"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	"github.com/clusterctl/clusterctl/pkg/kube"
	"github.com/clusterctl/clusterctl/test/graph"
)

// bareWidth is how many writes the bare client sends at once.
const bareWidth = 16

// moveBare sends only the writes that a move can't do without, 16 at a time and with no order: create, status, finalizers, delete.
// What it needs to know is read before the clock starts. It checks nothing, and could not go on after an error.
func (b *bench) moveBare(ctx context.Context, p *pair, _ int) (moved, error) {
	src, err := kube.New(p.src.REST, kube.Options{QPS: -1})
	if err != nil {
		return moved{}, err
	}
	defer src.Close()
	dst, err := kube.New(p.dst.REST, kube.Options{QPS: -1})
	if err != nil {
		return moved{}, err
	}
	defer dst.Close()
	objs, err := benchObjects(ctx, src)
	if err != nil {
		return moved{}, err
	}
	if _, err := dst.Create(ctx, namespace()); err != nil {
		return moved{}, err
	}
	if err := dst.Discover(ctx); err != nil {
		return moved{}, err
	}
	before := [2]kube.Counts{src.Requests(), dst.Requests()}
	began := time.Now()
	g, gctx := errgroup.WithContext(ctx)
	g.SetLimit(bareWidth)
	for _, u := range objs {
		g.Go(func() error { return bareOne(gctx, src, dst, u) })
	}
	if err := g.Wait(); err != nil {
		return moved{}, err
	}
	return moved{
		cost:     cost{wall: time.Since(began)},
		requests: src.Requests().Sub(before[0]).Total + dst.Requests().Sub(before[1]).Total,
	}, nil
}

func bareOne(ctx context.Context, src, dst *kube.Client, u *unstructured.Unstructured) error {
	t := kube.Target{GVK: u.GroupVersionKind(), Namespace: u.GetNamespace(), Name: u.GetName()}
	body := map[string]any{}
	for k, v := range u.Object {
		if k != "status" && k != "metadata" {
			body[k] = v
		}
	}
	body["metadata"] = map[string]any{
		"name": u.GetName(), "namespace": u.GetNamespace(), "labels": u.GetLabels(), "annotations": u.GetAnnotations(),
		"finalizers": u.GetFinalizers(), "ownerReferences": u.GetOwnerReferences(),
	}
	data, err := json.Marshal(body)
	if err != nil {
		return err
	}
	made, err := dst.SendCreate(ctx, t, data)
	if err != nil {
		return err
	}
	if u.Object["status"] != nil {
		data, err := json.Marshal(map[string]any{
			"apiVersion": u.GetAPIVersion(), "kind": u.GetKind(), "status": u.Object["status"],
			"metadata": map[string]any{"name": u.GetName(), "namespace": u.GetNamespace(), "resourceVersion": made.ResourceVersion},
		})
		if err != nil {
			return err
		}
		if _, err := dst.SendStatus(ctx, t, data); err != nil {
			return err
		}
	}
	if len(u.GetFinalizers()) > 0 {
		if _, err := src.SendPatch(ctx, t, types.MergePatchType, []byte(`{"metadata":{"finalizers":null}}`)); err != nil {
			return err
		}
	}
	return src.SendDelete(ctx, t, metav1.DeleteOptions{})
}

func namespace() *unstructured.Unstructured {
	return &unstructured.Unstructured{Object: map[string]any{"apiVersion": "v1", "kind": "Namespace", "metadata": map[string]any{"name": benchNamespace}}}
}

// benchObjects are all objects of the graphs on a server.
func benchObjects(ctx context.Context, c *kube.Client) ([]*unstructured.Unstructured, error) {
	kinds := []schema.GroupVersionKind{{Version: "v1", Kind: "Secret"}}
	for _, k := range graph.Kinds(graph.Version) {
		kinds = append(kinds, schema.GroupVersionKind{Group: k.Group, Version: k.Version, Kind: k.Kind})
	}
	var out []*unstructured.Unstructured
	for _, gvk := range kinds {
		list, err := c.List(ctx, gvk, kube.ListOptions{Namespace: benchNamespace})
		if err != nil {
			return nil, err
		}
		out = append(out, list...)
	}
	return out, nil
}

// arrived makes sure that a move moved.
func arrived(ctx context.Context, p *pair, want int) error {
	for _, side := range []struct {
		name string
		env  interface{ Connect() (*kube.Client, error) }
		want int
	}{{"target", connection{p.dst.REST}, want}, {"source", connection{p.src.REST}, 0}} {
		c, err := side.env.Connect()
		if err != nil {
			return err
		}
		defer c.Close()
		objs, err := benchObjects(ctx, c)
		if err != nil {
			return err
		}
		if len(objs) != side.want {
			return fmt.Errorf("after the move the %s has %d objects, not %d", side.name, len(objs), side.want)
		}
	}
	return nil
}
