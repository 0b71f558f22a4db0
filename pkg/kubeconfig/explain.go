// SPDX-License-Identifier: Apache-2.0

package kubeconfig

import (
	"context"
	"errors"
	"fmt"
	"slices"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/clusterctl/clusterctl/pkg/capi"
	"github.com/clusterctl/clusterctl/pkg/fault"
	"github.com/clusterctl/clusterctl/pkg/kube"
)

// presentLimit is how many other clusters of a namespace are named.
const presentLimit = 8

// explain finds out why there is no Secret. It always returns an error.
func (f *fetcher) explain(ctx context.Context) error {
	name := capi.KubeconfigSecretName(f.opts.Name)
	cluster, err := f.cluster(ctx, f.opts.Namespace, f.opts.Name)
	switch {
	case errors.Is(err, ErrNotInstalled):
		return err
	case errors.Is(err, ErrForbidden):
		return fault.WithHint(fmt.Errorf("no secret %s/%s, and no way to see why: %w", f.opts.Namespace, name, err), "check the name and the namespace (-n)")
	case err != nil:
		return err
	case cluster == nil:
		return f.noCluster(ctx)
	}
	e := &NotReadyError{
		Namespace: f.opts.Namespace, Name: f.opts.Name, Secret: name,
		Phase: cluster.Phase, Deleting: cluster.Deleting, Waiting: waitingFor(cluster),
	}
	if e.Deleting {
		return fault.WithCode(fault.Failed, e)
	}
	return fault.WithHint(fault.WithCode(fault.Timeout, e), "add --wait to wait for it")
}

// waitingFor says which of the steps that come before a kubeconfig isn't done.
func waitingFor(c *capi.ClusterState) string {
	conditionType, text := "", ""
	switch {
	case c.Paused:
		return "the cluster is paused"
	case c.Failed():
		return c.FailureMessage
	case !c.InfrastructureReady:
		conditionType, text = capi.ConditionInfrastructureReady, "infrastructure not ready"
	case !c.ControlPlaneInitialized:
		conditionType, text = capi.ConditionControlPlaneInitialized, "control plane not initialized"
	default:
		return ""
	}
	if condition := c.Condition(conditionType); condition != nil && condition.Message != "" {
		text += ": " + condition.Message
	}
	return text
}

// cluster reads a Cluster, nil if there is none. Without Cluster API the error is ErrNotInstalled.
func (f *fetcher) cluster(ctx context.Context, namespace, name string) (*capi.ClusterState, error) {
	gvk, err := f.clusterKind(ctx)
	if err != nil {
		return nil, err
	}
	u, err := f.c.Get(ctx, gvk, namespace, name)
	switch {
	case apierrors.IsNotFound(err):
		return nil, nil
	case err != nil:
		return nil, err
	}
	state := capi.ReadCluster(u)
	return &state, nil
}

func (f *fetcher) clusterKind(ctx context.Context) (schema.GroupVersionKind, error) {
	gvk, err := capi.ClusterGVK(ctx, f.c)
	if errors.Is(err, ErrNotInstalled) {
		return gvk, fault.WithHint(fmt.Errorf("cluster %q: %w: %s is no management cluster, it has no kind Cluster of %s", f.opts.Name, ErrNotInstalled, f.c.Host(), capi.GroupCore),
			"point --kubeconfig or --kubeconfig-context at the management cluster")
	}
	return gvk, err
}

func (f *fetcher) noCluster(ctx context.Context) error {
	e := &NoClusterError{Namespace: f.opts.Namespace, Name: f.opts.Name}
	_, err := f.c.Get(ctx, schema.GroupVersionKind{Version: "v1", Kind: "Namespace"}, "", f.opts.Namespace)
	e.NoNamespace = apierrors.IsNotFound(err)
	elsewhere, err := f.list(ctx, kube.ListOptions{FieldSelector: "metadata.name=" + f.opts.Name})
	e.Unknown = err != nil
	for _, key := range elsewhere {
		e.Elsewhere = append(e.Elsewhere, key.namespace)
	}
	slices.Sort(e.Elsewhere)
	if len(e.Elsewhere) == 0 && !e.NoNamespace {
		present, _ := f.list(ctx, kube.ListOptions{Namespace: f.opts.Namespace})
		for _, key := range present {
			e.Present = append(e.Present, key.name)
		}
		slices.Sort(e.Present)
		if more := len(e.Present) - presentLimit; more > 0 {
			e.Present = append(e.Present[:presentLimit], fmt.Sprintf("and %d more", more))
		}
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return fault.WithHint(e, "%s", e.hint())
}

type key struct{ namespace, name string }

func (f *fetcher) list(ctx context.Context, opts kube.ListOptions) ([]key, error) {
	gvk, err := f.clusterKind(ctx)
	if err != nil {
		return nil, err
	}
	opts.MetadataOnly = true
	objects, err := f.c.List(ctx, gvk, opts)
	if err != nil {
		return nil, err
	}
	keys := make([]key, 0, len(objects))
	for _, u := range objects {
		keys = append(keys, key{u.GetNamespace(), u.GetName()})
	}
	return keys, nil
}
