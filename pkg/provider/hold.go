// SPDX-License-Identifier: Apache-2.0

package provider

import (
	"context"
	"strconv"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/clusterctl/clusterctl/pkg/fault"
	"github.com/clusterctl/clusterctl/pkg/kube"
)

// ReplicasAnnotation remembers, on a provider's Deployment that stands at zero, how many replicas it is to have: a move that brings
// clusters starts it, once the controllers that they come from are down.
const ReplicasAnnotation = "clusterctl.cluster.x-k8s.io/replicas-before-move"

// hold has the providers' Deployments come with no replicas. Controllers that run already aren't stopped: that is refused.
func (i *installer) hold(ctx context.Context) error {
	if !i.opts.Hold {
		return nil
	}
	if len(i.plan.guarded) > 0 {
		return fault.Refusedf("the controllers can't be held: %s %s of the components has to pass their webhooks first", i.plan.guarded[0].GetKind(), i.plan.guarded[0].GetName())
	}
	var faults fault.List
	for n, o := range i.plan.main {
		if o.GetKind() != "Deployment" || o.GroupVersionKind().Group != "apps" {
			continue
		}
		live, err := i.kube.Get(ctx, o.GroupVersionKind(), o.GetNamespace(), o.GetName())
		if err != nil && !apierrors.IsNotFound(err) {
			return err
		}
		if err == nil && kube.Replicas(live) > 0 {
			faults.Add(fault.Refusedf("Deployment %s/%s runs already: it can't be held", o.GetNamespace(), o.GetName()))
			continue
		}
		held := o.DeepCopy()
		annotations := held.GetAnnotations()
		if annotations == nil {
			annotations = map[string]string{}
		}
		annotations[ReplicasAnnotation] = strconv.FormatInt(kube.Replicas(o), 10)
		held.SetAnnotations(annotations)
		if err := unstructured.SetNestedField(held.Object, int64(0), "spec", "replicas"); err != nil {
			return err
		}
		i.plan.main[n] = held
	}
	return faults.Err()
}
