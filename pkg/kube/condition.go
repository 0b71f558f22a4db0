// SPDX-License-Identifier: Apache-2.0

package kube

import (
	"context"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// listFrom is from how many objects of one kind and namespace on one LIST is better than a GET each.
const listFrom = 3

// judge looks at a live object; u is nil where there is none.
type judge func(ctx context.Context, u *unstructured.Unstructured) (done bool, reason string, err error)

// objectCondition is about one object.
type objectCondition struct {
	client *Client
	gvk    schema.GroupVersionKind
	ns     string
	name   string
	judge  judge
}

// ObjectCondition waits for a judgement about one live object, which is nil while it doesn't exist.
func (c *Client) ObjectCondition(gvk schema.GroupVersionKind, ns, name string, judge func(ctx context.Context, u *unstructured.Unstructured) (done bool, reason string, err error)) Condition {
	return &objectCondition{client: c, gvk: gvk, ns: ns, name: name, judge: judge}
}

// ObjectGone waits until an object doesn't exist any more; the reason names the finalizers that hold it.
func (c *Client) ObjectGone(gvk schema.GroupVersionKind, ns, name string) Condition {
	return c.ObjectCondition(gvk, ns, name, gone)
}

func (o *objectCondition) String() string { return objectText(o.gvk.Kind, o.ns, o.name) }

// Check reads the object and judges it.
func (o *objectCondition) Check(ctx context.Context) (bool, string, error) {
	u, err := o.client.Get(ctx, o.gvk, o.ns, o.name)
	if apierrors.IsNotFound(err) {
		return o.judge(ctx, nil)
	} else if err != nil {
		return false, "", err
	}
	return o.judge(ctx, u)
}

// listAll reads the objects of the condition's kind and namespace, by name.
func (o *objectCondition) listAll(ctx context.Context) (map[string]*unstructured.Unstructured, error) {
	list, err := o.client.List(ctx, o.gvk, ListOptions{Namespace: o.ns})
	if err != nil {
		return nil, err
	}
	out := make(map[string]*unstructured.Unstructured, len(list))
	for _, u := range list {
		out[u.GetName()] = u
	}
	return out, nil
}

func (o *objectCondition) judgeIn(ctx context.Context, objects map[string]*unstructured.Unstructured, err error) (bool, string, error) {
	if err != nil {
		return false, "", err
	}
	return o.judge(ctx, objects[o.name])
}

// batches groups the indexes of conditions that one LIST answers; all others stand alone.
func batches(conds []Condition) [][]int {
	type key struct {
		client *Client
		gvk    schema.GroupVersionKind
		ns     string
	}
	index := map[key]int{}
	var groups [][]int
	for i, c := range conds {
		o, ok := c.(*objectCondition)
		if !ok {
			groups = append(groups, []int{i})
			continue
		}
		k := key{o.client, o.gvk, o.ns}
		if at, seen := index[k]; seen {
			groups[at] = append(groups[at], i)
			continue
		}
		index[k] = len(groups)
		groups = append(groups, []int{i})
	}
	var out [][]int
	for _, g := range groups {
		if len(g) >= listFrom {
			out = append(out, g)
			continue
		}
		for _, i := range g {
			out = append(out, []int{i})
		}
	}
	return out
}

func gone(_ context.Context, u *unstructured.Unstructured) (bool, string, error) {
	switch {
	case u == nil:
		return true, "", nil
	case u.GetDeletionTimestamp() == nil:
		return false, "is not being deleted", nil
	case len(u.GetFinalizers()) > 0:
		return false, "held by finalizers " + joinShort(u.GetFinalizers()), nil
	}
	return false, "is being deleted", nil
}
