// SPDX-License-Identifier: Apache-2.0

package supervisor

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/client-go/util/retry"

	"github.com/clusterctl/clusterctl/pkg/bootstrap/local/internal/ports"
	"github.com/clusterctl/clusterctl/pkg/bootstrap/local/internal/rewrite"
)

// callers are the kinds that hold webhooks' URLs.
var callers = []schema.GroupVersionResource{
	{Group: "admissionregistration.k8s.io", Version: "v1", Resource: "mutatingwebhookconfigurations"},
	{Group: "admissionregistration.k8s.io", Version: "v1", Resource: "validatingwebhookconfigurations"},
	{Group: "apiextensions.k8s.io", Version: "v1", Resource: "customresourcedefinitions"},
}

// repairWebhooks makes webhooks call the new ports of those that moved.
func (k *kubelet) repairWebhooks(ctx context.Context, moved, now ports.Table) error {
	promised, err := ports.Promised(k.dir)
	if err != nil {
		return err
	}
	replace := map[string]string{}
	for key, old := range moved {
		if slices.Contains(promised, key) {
			replace[rewrite.URL(old, "/")] = rewrite.URL(now[key], "/")
		}
	}
	if len(replace) == 0 {
		return nil
	}
	k.logger.Printf("webhook ports were taken by others, calling %v instead", replace)
	cfg, err := clientcmd.BuildConfigFromFlags("", k.dir.Kubeconfig())
	if err != nil {
		return err
	}
	client, err := dynamic.NewForConfig(cfg)
	if err != nil {
		return err
	}
	var all []error
	for _, gvr := range callers {
		all = append(all, repairKind(ctx, client.Resource(gvr), replace))
	}
	if err := errors.Join(all...); err != nil {
		return fmt.Errorf("repair webhooks whose ports were taken: %w", err)
	}
	return nil
}

func repairKind(ctx context.Context, client dynamic.ResourceInterface, replace map[string]string) error {
	list, err := client.List(ctx, metav1.ListOptions{})
	if err != nil {
		return err
	}
	for _, item := range list.Items {
		err := retry.RetryOnConflict(retry.DefaultRetry, func() error {
			obj, err := client.Get(ctx, item.GetName(), metav1.GetOptions{})
			if err != nil || !repairObject(obj, replace) {
				return err
			}
			_, err = client.Update(ctx, obj, metav1.UpdateOptions{FieldManager: fieldManager})
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// repairObject replaces the URLs in an object and says whether there were any.
func repairObject(obj *unstructured.Unstructured, replace map[string]string) bool {
	var configs []map[string]any
	if cfg, ok, _ := unstructured.NestedFieldNoCopy(obj.Object, "spec", "conversion", "webhook", "clientConfig"); ok {
		if m, ok := cfg.(map[string]any); ok {
			configs = append(configs, m)
		}
	}
	hooks, _, _ := unstructured.NestedFieldNoCopy(obj.Object, "webhooks")
	list, _ := hooks.([]any)
	for _, item := range list {
		hook, _ := item.(map[string]any)
		if m, ok := hook["clientConfig"].(map[string]any); ok {
			configs = append(configs, m)
		}
	}
	changed := false
	for _, cfg := range configs {
		url, _ := cfg["url"].(string)
		for old, now := range replace {
			if rest, ok := strings.CutPrefix(url, old); ok {
				cfg["url"], changed = now+rest, true
			}
		}
	}
	return changed
}
