// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	clientrest "k8s.io/client-go/rest"

	"github.com/clusterctl/clusterctl/pkg/kube"
	"github.com/clusterctl/clusterctl/test/graph"
)

// bareWidth is how many writes the bare client sends at once.
const bareWidth = 16

// moveBare sends only the writes that a move can't do without, 16 at a time and with no order: create, status, finalizers, delete.
// What it needs to know is read before the clock starts. It checks nothing, and could not go on after an error.
func (b *bench) moveBare(ctx context.Context, p *pair, _ int) (moved, error) {
	out, err := b.part(ctx, "bare", p.src.Kubeconfig, p.dst.Kubeconfig)
	if err != nil {
		return moved{}, err
	}
	var took time.Duration
	var m moved
	_, err = fmt.Sscan(out, &took, &m.requests)
	m.wall = took
	return m, err
}

// part runs a part of the measurement in a process of its own, because a large one says nothing about the memory of those that it
// starts, see measure.
func (b *bench) part(ctx context.Context, args ...string) (string, error) {
	self, err := os.Executable()
	if err != nil {
		return "", err
	}
	return output(ctx, append([]string{self, "part"}, args...)...)
}

// measureApart is measure for programs that may need less memory than this one did so far: a small process starts them.
func (b *bench) measureApart(ctx context.Context, env []string, argv ...string) (cost, string, error) {
	self, err := os.Executable()
	if err != nil {
		return cost{}, "", err
	}
	file := filepath.Join(b.dir, "measured")
	_, out, err := measure(ctx, b.dir, env, append([]string{self, "part", "measured", file}, argv...)...)
	if err != nil {
		return cost{}, "", err
	}
	data, err := os.ReadFile(file)
	if err != nil {
		return cost{}, "", err
	}
	var c cost
	_, err = fmt.Sscan(string(data), &c.wall, &c.rss)
	return c, out, err
}

// measured runs a program, and leaves in a file what it took.
func measured(ctx context.Context, file string, argv []string) error {
	c, out, err := measure(ctx, "", os.Environ(), argv...)
	if err != nil {
		return err
	}
	fmt.Print(out)
	return os.WriteFile(file, fmt.Appendf(nil, "%d %f", c.wall, c.rss), 0o600)
}

func runPart(ctx context.Context, args []string) error {
	if len(args) > 2 && args[0] == "measured" {
		return measured(ctx, args[1], args[2:])
	}
	kube.SetLogger(nil)
	clients := make([]*kube.Client, 0, 2)
	var rests []*clientrest.Config
	for len(args) > 1 && len(clients) < 2 && strings.HasSuffix(args[1], ".kubeconfig") {
		cfg, err := kube.LoadConfig(kube.ConfigSource{Path: args[1], Getenv: os.Getenv})
		if err != nil {
			return err
		}
		c, err := kube.New(cfg.REST, kube.Options{QPS: -1})
		if err != nil {
			return err
		}
		defer c.Close()
		clients, rests = append(clients, c), append(rests, cfg.REST)
		args = slices.Delete(args, 1, 2)
	}
	n := 0
	if len(args) > 1 {
		n, _ = strconv.Atoi(args[1])
	}
	switch args[0] {
	case "load":
		var objs []*unstructured.Unstructured
		for i := range n {
			objs = append(objs, graph.Cluster(benchNamespace, "c"+strconv.Itoa(i), graph.Version)...)
		}
		return graph.Load(ctx, rests[0], objs)
	case "bare":
		return bare(ctx, clients[0], clients[1])
	case "arrived":
		return arrived(ctx, clients[0], clients[1], n)
	}
	return fmt.Errorf("no part %q", args[0])
}

func bare(ctx context.Context, src, dst *kube.Client) error {
	objs, err := benchObjects(ctx, src, false)
	if err != nil {
		return err
	}
	if _, err := dst.Create(ctx, namespace()); err != nil {
		return err
	}
	if err := dst.Discover(ctx); err != nil {
		return err
	}
	before := [2]kube.Counts{src.Requests(), dst.Requests()}
	began := time.Now()
	g, gctx := errgroup.WithContext(ctx)
	g.SetLimit(bareWidth)
	for _, u := range objs {
		g.Go(func() error { return bareOne(gctx, src, dst, u) })
	}
	if err := g.Wait(); err != nil {
		return err
	}
	_, err = fmt.Printf("%d %d\n", time.Since(began), src.Requests().Sub(before[0]).Total+dst.Requests().Sub(before[1]).Total)
	return err
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
func benchObjects(ctx context.Context, c *kube.Client, outlines bool) ([]*unstructured.Unstructured, error) {
	kinds := []schema.GroupVersionKind{{Version: "v1", Kind: "Secret"}}
	for _, k := range graph.Kinds(graph.Version) {
		kinds = append(kinds, schema.GroupVersionKind{Group: k.Group, Version: k.Version, Kind: k.Kind})
	}
	var out []*unstructured.Unstructured
	for _, gvk := range kinds {
		list, err := c.List(ctx, gvk, kube.ListOptions{Namespace: benchNamespace, MetadataOnly: outlines})
		if err != nil {
			return nil, err
		}
		out = append(out, list...)
	}
	return out, nil
}

// arrived makes sure that a move moved.
func arrived(ctx context.Context, src, dst *kube.Client, want int) error {
	for _, side := range []struct {
		name string
		c    *kube.Client
		want int
	}{{"target", dst, want}, {"source", src, 0}} {
		objs, err := benchObjects(ctx, side.c, true)
		if err != nil {
			return err
		}
		if len(objs) != side.want {
			return fmt.Errorf("after the move the %s has %d objects, not %d", side.name, len(objs), side.want)
		}
	}
	return nil
}
