// SPDX-License-Identifier: Apache-2.0

package plan

import (
	"context"
	"errors"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/clusterctl/clusterctl/pkg/capi"
	"github.com/clusterctl/clusterctl/pkg/kube"
)

// homes finds the namespaces of providers whose definitions don't tell, where cluster-scoped objects of theirs move: a Secret that such
// an object names without a namespace is there. It is asked for only if there is such an object.
// Source: VSphereClusterIdentity spec.secretName (CAPV), AWSClusterStaticIdentity spec.secretRef (CAPA).
func (b *builder) homes(ctx context.Context) error {
	var homeless []*node
	for _, n := range b.nodes {
		if n.selected() && !n.outline && n.key.Namespace == "" && n.kind.Home == "" && n.kind.Provider != "" {
			homeless = append(homeless, n)
		}
	}
	if len(homeless) == 0 {
		return nil
	}
	var list []*unstructured.Unstructured
	err := kube.Retry(ctx, func(ctx context.Context) error {
		var err error
		list, err = b.from.c.List(ctx, schema.GroupVersionKind{Group: "apps", Version: "v1", Kind: "Deployment"},
			kube.ListOptions{MetadataOnly: true, LabelSelector: capi.ProviderLabel})
		return err
	})
	if errors.Is(err, kube.ErrForbidden) {
		b.warnf("in which namespaces the providers run can't be seen (%v): Secrets there that %s refers to have to be brought to the target by hand", err, homeless[0].key)
		return nil
	} else if err != nil {
		return err
	}
	home := map[string]string{}
	for _, d := range list {
		home[d.GetLabels()[capi.ProviderLabel]] = d.GetNamespace()
	}
	for _, n := range homeless {
		n.kind.Home = home[n.kind.Provider]
		n.refs = nil
		b.tieRefs(n)
		b.queue = append(b.queue, n)
	}
	b.spread()
	return nil
}
