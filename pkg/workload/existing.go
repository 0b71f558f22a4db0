// SPDX-License-Identifier: Apache-2.0

package workload

import (
	"context"
	"errors"
	"fmt"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/clusterctl/clusterctl/pkg/capi"
	"github.com/clusterctl/clusterctl/pkg/event"
	"github.com/clusterctl/clusterctl/pkg/fault"
	"github.com/clusterctl/clusterctl/pkg/kube"
)

// checkExisting refuses to work on a Cluster that is on its way out, or that has the same name but is another
// one: other infrastructure, another control plane, another class.
func checkExisting(ctx context.Context, c *kube.Client, s *Set) error {
	live, err := getCluster(ctx, c, s.Key())
	if isNotFound(err) || errors.Is(err, capi.ErrNotInstalled) {
		return nil
	} else if err != nil {
		return fmt.Errorf("look for Cluster %s: %w", s.Key(), err)
	}
	have, want := capi.ReadCluster(live), capi.ReadCluster(s.Cluster.Unstructured)
	if have.Deleting {
		return fault.WithHint(fault.Refusedf("apply Cluster %s: it is being deleted", s.Key()),
			"wait until it is gone with: clusterctl delete cluster %s -n %s", s.Name, s.Namespace)
	}
	if differences := identity(have, want); len(differences) > 0 {
		return fault.WithHint(
			fault.Refusedf("apply Cluster %s: another Cluster of that name exists: %s", s.Key(), strings.Join(differences, "; ")),
			"choose another name or namespace, or delete that one first: clusterctl delete cluster %s -n %s", s.Name, s.Namespace)
	}
	return nil
}

// identity compares what makes a Cluster this one; what only the live one has was filled in by controllers.
func identity(have, want capi.ClusterState) []string {
	var out []string
	compare := func(what string, a, b *capi.Ref) {
		if a != nil && b != nil && (a.GroupKind() != b.GroupKind() || a.Name != b.Name) {
			out = append(out, fmt.Sprintf("its %s is %s %s, not %s %s", what, a.Kind, a.Name, b.Kind, b.Name))
		}
	}
	compare("infrastructure", have.InfrastructureRef, want.InfrastructureRef)
	compare("control plane", have.ControlPlaneRef, want.ControlPlaneRef)
	if (have.ClassName == "") != (want.ClassName == "") {
		out = append(out, fmt.Sprintf("its class is %q, not %q", have.ClassName, want.ClassName))
	}
	return out
}

// ensureNamespace creates a namespace that isn't there. One that is being deleted can't take anything.
func ensureNamespace(ctx context.Context, c *kube.Client, name string, sink event.Sink) error {
	return kube.Retry(ctx, func(ctx context.Context) error {
		u, err := c.Get(ctx, namespaceGVK(), "", name)
		switch {
		case isNotFound(err):
			if _, err = c.Create(ctx, namespaceObject(name)); err == nil {
				event.Notef(sink, "namespace %s created", name)
			}
			if apierrors.IsAlreadyExists(err) {
				return nil
			}
		case err == nil && u.GetDeletionTimestamp() != nil:
			return fault.Refusedf("namespace %s is being deleted", name)
		}
		if err != nil {
			return fmt.Errorf("ensure namespace %s: %w", name, err)
		}
		return nil
	})
}

func namespaceObject(name string) *unstructured.Unstructured {
	return &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "v1", "kind": "Namespace", "metadata": map[string]any{"name": name},
	}}
}

func namespaceGVK() schema.GroupVersionKind {
	return schema.GroupVersionKind{Version: "v1", Kind: "Namespace"}
}
