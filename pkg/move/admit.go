// SPDX-License-Identifier: Apache-2.0

package move

import (
	"context"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"slices"
	"strings"
	"sync"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/clusterctl/clusterctl/pkg/capi"
	"github.com/clusterctl/clusterctl/pkg/fault"
	"github.com/clusterctl/clusterctl/pkg/kube"
	"github.com/clusterctl/clusterctl/pkg/move/plan"
)

// admitTime is how long the target's webhooks get to answer in the preflight.
const admitTime = 30 * time.Second

// admitted has the target judge the objects by a dry run: its schemas, its policies, its webhooks. Of objects that differ in nothing but
// names, one is judged for all: a move of 100 equal clusters asks no more than that of one.
func (m *mover) admitted(ctx context.Context, faults *fault.List) error {
	namespaces, err := m.namespacesOf(ctx, m.dst)
	if err != nil {
		return fmt.Errorf("target: %w", err)
	}
	samples := m.samples()
	var mu sync.Mutex
	within, stop := context.WithTimeout(ctx, admitTime)
	defer stop()
	found := make([]error, len(samples))
	err = m.dstWidth.each(within, len(samples), func(ctx context.Context, n int) error {
		o := samples[n]
		err := m.tryOne(ctx, o, namespaces[o.Namespace] == nil && o.Namespace != "")
		if kube.Classify(err) == kube.ClassRetry {
			mu.Lock()
			found[n] = err
			mu.Unlock()
			return err
		}
		mu.Lock()
		found[n] = err
		mu.Unlock()
		return nil
	})
	if ctx.Err() != nil {
		return ctx.Err()
	}
	for _, f := range found {
		if f != nil {
			faults.Add(fault.WithCode(fault.Refused, fmt.Errorf("the target doesn't take it: %w", f)))
			err = nil
		}
	}
	return err
}

// tryOne is one dry run. In a namespace that isn't there yet nothing can be tried: then the object is tried in one that always is, and
// only what its schema says counts.
func (m *mover) tryOne(ctx context.Context, o *plan.Object, elsewhere bool) error {
	body, err := bodyOf(o, nil, false)
	if err != nil {
		return err
	}
	u := &unstructured.Unstructured{}
	if err := json.Unmarshal(body, &u.Object); err != nil {
		return err
	}
	if o.GroupKind == capi.ClusterGK() && capi.PausesBySpec(o.Version) {
		if err := unstructured.SetNestedField(u.Object, true, "spec", "paused"); err != nil {
			return err
		}
	}
	if elsewhere {
		u.SetNamespace("default")
	}
	got, err := m.dst.TryApply(ctx, u)
	switch {
	case err != nil && elsewhere && !apierrors.IsInvalid(err) && kube.Classify(err) != kube.ClassRetry:
		return nil
	case err != nil:
		return err
	}
	if elsewhere {
		got.SetNamespace(o.Namespace)
		u.SetNamespace(o.Namespace)
	}
	if at := missing("", u.Object, got.Object); at != "" {
		return fmt.Errorf("create (dry run) %s: %s would be lost: the target's version of the kind doesn't have it, or changes it", o.Key, at)
	}
	return nil
}

// samples are the objects of which each stands for all that differ from it in names only.
func (m *mover) samples() []*plan.Object {
	names := map[string]bool{}
	for _, o := range m.plan.Objects {
		names[o.Name], names[o.Namespace] = true, true
	}
	delete(names, "")
	seen := map[uint64]bool{}
	var out []*plan.Object
	for _, o := range m.plan.Objects {
		if m.onTarget[o.Key] { // a shared one that stays as it is there
			continue
		}
		h := fnv.New64a()
		fmt.Fprint(h, o.GVK(), o.Namespace)
		shapeOf(h, o.Source.Object, "", shape{names: names, own: []string{o.Name, o.Cluster.Name}})
		if sum := h.Sum64(); !seen[sum] {
			seen[sum] = true
			out = append(out, o)
		}
	}
	return out
}

// shape knows the names that make no difference.
type shape struct {
	// names are those of all objects: they count where they are the whole text. own are the object's and its cluster's: they count
	// inside of a text too, as in a provider's ID.
	names map[string]bool
	own   []string
}

func (s shape) without(text string) string {
	if s.names[text] {
		return ""
	}
	for _, n := range s.own {
		if n != "" {
			text = strings.ReplaceAll(text, n, "*")
		}
	}
	return text
}

type writer interface{ Write([]byte) (int, error) }

// shapeOf hashes an object without what is its own: names of objects, and everything that only a server says. The text of Secrets and
// ConfigMaps isn't judged by anybody either.
func shapeOf(h writer, v any, path string, s shape) {
	switch node := v.(type) {
	case map[string]any:
		for _, k := range sortedKeys(node) {
			at := join(path, k)
			if slices.Contains([]string{"status", "metadata.uid", "metadata.resourceVersion", "metadata.creationTimestamp", "metadata.generation", "metadata.managedFields", "metadata.ownerReferences"}, at) {
				continue
			}
			_, _ = h.Write([]byte(k + "\x00"))
			if path != "data" && path != "binaryData" && path != "metadata.annotations" && path != "metadata.labels" {
				shapeOf(h, node[k], at, s)
			}
		}
	case []any:
		for _, item := range node {
			shapeOf(h, item, path, s)
			_, _ = h.Write([]byte{1})
		}
	case string:
		_, _ = h.Write([]byte(s.without(node)))
	default:
		_, _ = fmt.Fprint(asWriter{h}, node)
	}
	_, _ = h.Write([]byte{0})
}

type asWriter struct{ w writer }

// Write passes on.
func (a asWriter) Write(p []byte) (int, error) { return a.w.Write(p) }
