// SPDX-License-Identifier: Apache-2.0

package move

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	"github.com/clusterctl/clusterctl/pkg/capi"
	"github.com/clusterctl/clusterctl/pkg/kube"
	"github.com/clusterctl/clusterctl/pkg/provider"
)

// replicasAnnotation stays on the source's controllers where nothing is left to manage, so that a move the other way round finds it.
const replicasAnnotation = provider.ReplicasAnnotation

func gvkDeployment() schema.GroupVersionKind {
	return schema.GroupVersionKind{Group: "apps", Version: "v1", Kind: "Deployment"}
}

func nodeGVK() schema.GroupVersionKind { return schema.GroupVersionKind{Version: "v1", Kind: "Node"} }

// controllers finds the Deployments of Cluster API and its providers: by label, by upstream's inventory or well-known
// names, and by the webhooks of Cluster API's kinds. What else is in the cluster, cert-manager included, isn't touched.
func controllers(ctx context.Context, c *kube.Client) ([]*unstructured.Unstructured, error) {
	all, err := c.List(ctx, gvkDeployment(), kube.ListOptions{})
	if err != nil {
		return nil, err
	}
	installed, err := provider.Installed(ctx, c)
	if err != nil {
		return nil, err
	}
	ours := map[types.NamespacedName]bool{}
	for _, p := range installed {
		for _, d := range p.Deployments {
			ours[types.NamespacedName{Namespace: p.Namespace, Name: d}] = true
		}
	}
	servers, err := webhookServers(ctx, c)
	if err != nil {
		return nil, err
	}
	var out []*unstructured.Unstructured
	for _, d := range all {
		if ours[types.NamespacedName{Namespace: d.GetNamespace(), Name: d.GetName()}] || d.GetLabels()[capi.ProviderLabel] != "" || servers.has(d) {
			out = append(out, d)
		}
	}
	slices.SortFunc(out, func(a, b *unstructured.Unstructured) int {
		return cmp.Or(cmp.Compare(a.GetNamespace(), b.GetNamespace()), cmp.Compare(a.GetName(), b.GetName()))
	})
	return out, nil
}

// service is one that a webhook calls, with the labels of its pods.
type service struct {
	namespace string
	selector  labels.Selector
}

type services []service

func (s services) has(d *unstructured.Unstructured) bool {
	podLabels, _, _ := unstructured.NestedStringMap(d.Object, "spec", "template", "metadata", "labels")
	for _, svc := range s {
		if svc.namespace == d.GetNamespace() && svc.selector.Matches(labels.Set(podLabels)) {
			return true
		}
	}
	return false
}

// webhookServers are the services that webhooks about kinds of Cluster API name. A webhook about everything ("*") is
// somebody else's: a policy engine's.
func webhookServers(ctx context.Context, c *kube.Client) (services, error) {
	configs, err := webhookConfigurations(ctx, c)
	if err != nil {
		return nil, err
	}
	names := map[types.NamespacedName]bool{}
	for _, cfg := range configs {
		for _, hook := range hooksOf(cfg) {
			ns, _, _ := unstructured.NestedString(hook, "clientConfig", "service", "namespace")
			name, _, _ := unstructured.NestedString(hook, "clientConfig", "service", "name")
			if name != "" && aboutCAPI(hook) {
				names[types.NamespacedName{Namespace: ns, Name: name}] = true
			}
		}
	}
	var out services
	for n := range names {
		svc, err := c.Get(ctx, schema.GroupVersionKind{Version: "v1", Kind: "Service"}, n.Namespace, n.Name)
		if apierrors.IsNotFound(err) {
			continue
		} else if err != nil {
			return nil, err
		}
		selector, _, _ := unstructured.NestedStringMap(svc.Object, "spec", "selector")
		if len(selector) > 0 {
			out = append(out, service{n.Namespace, labels.SelectorFromSet(selector)})
		}
	}
	return out, nil
}

// aboutCAPI says whether a webhook's rules name an API group of Cluster API.
func aboutCAPI(hook map[string]any) bool {
	rules, _, _ := unstructured.NestedSlice(hook, "rules")
	for _, r := range rules {
		rule, _ := r.(map[string]any)
		groups, _, _ := unstructured.NestedStringSlice(rule, "apiGroups")
		for _, g := range groups {
			if isCAPIGroup(g) {
				return true
			}
		}
	}
	return false
}

func isCAPIGroup(g string) bool {
	return g == capi.GroupSuffix || strings.HasSuffix(g, "."+capi.GroupSuffix)
}

// remembered is how many replicas a Deployment had before an earlier move, 0 if none.
func remembered(d *unstructured.Unstructured) int64 {
	n, err := strconv.ParseInt(d.GetAnnotations()[replicasAnnotation], 10, 32)
	if err != nil {
		return 0
	}
	return n
}

// scale sets replicas and the annotation that remembers them; remember 0 removes it. A Deployment that is gone, or another one by
// now, is left alone.
func scale(ctx context.Context, c *kube.Client, d Controller, replicas, remember int64) error {
	var note any
	if remember > 0 {
		note = strconv.FormatInt(remember, 10)
	}
	patch, err := json.Marshal(map[string]any{
		"metadata": map[string]any{"uid": d.UID, "annotations": map[string]any{replicasAnnotation: note}},
		"spec":     map[string]any{"replicas": replicas},
	})
	if err != nil {
		return err
	}
	return kube.Retry(ctx, func(ctx context.Context) error {
		_, err := c.SendPatch(ctx, kube.Target{GVK: gvkDeployment(), Namespace: d.Namespace, Name: d.Name}, types.MergePatchType, patch)
		if apierrors.IsNotFound(err) || apierrors.IsConflict(err) {
			return nil
		}
		return err
	})
}

// gone says whether nothing of a scaled-down Deployment runs any more, or why not: its pods have to be gone,
// since the Deployment's own count leaves out those that are ending.
func gone(c *kube.Client, d Controller) kube.Condition {
	return kube.ConditionFunc(fmt.Sprintf("Deployment %s/%s", d.Namespace, d.Name), func(ctx context.Context) (bool, string, error) {
		u, err := c.Get(ctx, gvkDeployment(), d.Namespace, d.Name)
		if apierrors.IsNotFound(err) {
			return true, "", nil
		} else if err != nil {
			return false, "", err
		}
		if n := kube.Replicas(u); n != 0 {
			return false, "", fmt.Errorf("%w: somebody (%s) scaled it to %d again; stop what looks after it (an operator, GitOps, an autoscaler) for the time of the move, or use --quiesce pause",
				errStandstill, lastWriter(u), n)
		}
		observed, _, _ := unstructured.NestedInt64(u.Object, "status", "observedGeneration")
		running, _, _ := unstructured.NestedInt64(u.Object, "status", "replicas")
		if observed < u.GetGeneration() {
			return false, "no controller has seen yet that it was scaled to 0", nil
		}
		if running != 0 {
			return false, fmt.Sprintf("%d replicas still run", running), nil
		}
		return podsGone(ctx, c, u)
	})
}

func podsGone(ctx context.Context, c *kube.Client, d *unstructured.Unstructured) (bool, string, error) {
	raw, _, _ := unstructured.NestedMap(d.Object, "spec", "selector")
	data, err := json.Marshal(raw)
	if err != nil {
		return false, "", err
	}
	var ls metav1.LabelSelector
	if err := json.Unmarshal(data, &ls); err != nil {
		return false, "", err
	}
	selector, err := metav1.LabelSelectorAsSelector(&ls)
	if err != nil || selector.Empty() {
		return true, "", err
	}
	pods, err := c.List(ctx, schema.GroupVersionKind{Version: "v1", Kind: "Pod"}, kube.ListOptions{Namespace: d.GetNamespace(), LabelSelector: selector.String()})
	if err != nil {
		return false, "", err
	}
	for _, p := range pods {
		return false, fmt.Sprintf("pod %s isn't gone yet", p.GetName()) + lostNode(ctx, c, p), nil
	}
	return true, "", nil
}

// lostNode says of a pod whose node doesn't answer that it stays until somebody says that the machine is gone: the pod may run still, and
// then it may still write.
func lostNode(ctx context.Context, c *kube.Client, pod *unstructured.Unstructured) string {
	name, _, _ := unstructured.NestedString(pod.Object, "spec", "nodeName")
	if name == "" {
		return ""
	}
	node, err := c.Get(ctx, nodeGVK(), "", name)
	if err != nil {
		return "" // gone, or not for us to see
	}
	for _, cond := range capi.Conditions(node) {
		if cond.Type == "Ready" && cond.Status != "True" {
			return fmt.Sprintf(": its node %s doesn't answer (%s), so it may run still. If that machine is gone for good, delete the Node: kubectl delete node %s", name, cond.Reason, name)
		}
	}
	return ""
}

// lastWriter is the field manager that wrote last, for messages.
func lastWriter(u *unstructured.Unstructured) string {
	name, at := "unknown", metav1.Time{}
	for _, f := range u.GetManagedFields() {
		if f.Subresource == "" && f.Time != nil && !f.Time.Before(&at) {
			name, at = f.Manager, *f.Time
		}
	}
	return name
}
