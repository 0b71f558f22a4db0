// SPDX-License-Identifier: Apache-2.0

package move

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/clusterctl/clusterctl/pkg/kube"
)

// conditionPrefix begins the name of the match condition that lets a move pass a webhook.
const conditionPrefix = "clusterctl-move-"

func gvkWebhooks(kind string) schema.GroupVersionKind {
	return schema.GroupVersionKind{Group: "admissionregistration.k8s.io", Version: "v1", Kind: kind}
}

func webhookConfigurations(ctx context.Context, c *kube.Client) ([]*unstructured.Unstructured, error) {
	var out []*unstructured.Unstructured
	for _, kind := range []string{"MutatingWebhookConfiguration", "ValidatingWebhookConfiguration"} {
		list, err := c.List(ctx, gvkWebhooks(kind), kube.ListOptions{})
		if err != nil {
			return nil, err
		}
		out = append(out, list...)
	}
	return out, nil
}

// hooksOf are the webhooks of a configuration; they are the object's own, not copies.
func hooksOf(cfg *unstructured.Unstructured) []map[string]any {
	list, _, _ := unstructured.NestedFieldNoCopy(cfg.Object, "webhooks")
	items, _ := list.([]any)
	var out []map[string]any
	for _, item := range items {
		if hook, ok := item.(map[string]any); ok {
			out = append(out, hook)
		}
	}
	return out
}

// capiWebhooks are the source's webhook configurations about kinds of Cluster API: their servers are down while the controllers are.
func capiWebhooks(ctx context.Context, c *kube.Client) ([]Webhook, error) {
	configs, err := webhookConfigurations(ctx, c)
	if err != nil {
		return nil, err
	}
	var out []Webhook
	for _, cfg := range configs {
		if slices.ContainsFunc(hooksOf(cfg), aboutCAPI) {
			out = append(out, Webhook{Kind: cfg.GetKind(), Name: cfg.GetName()})
		}
	}
	return out, nil
}

// exempt lets a user pass the webhooks about Cluster API's kinds in a configuration, and leaves them in force for everybody else:
// while their servers are down nobody else changes an object under the move.
func exempt(ctx context.Context, c *kube.Client, w Webhook, id, user string) error {
	return changeWebhooks(ctx, c, w, func(cfg *unstructured.Unstructured) bool {
		changed := false
		for _, hook := range hooksOf(cfg) {
			if !aboutCAPI(hook) || hasCondition(hook, id) {
				continue
			}
			list, _ := hook["matchConditions"].([]any)
			hook["matchConditions"] = append(slices.Clone(list), map[string]any{
				"name": conditionPrefix + id, "expression": fmt.Sprintf("request.userInfo.username != %q", user),
			})
			changed = true
		}
		return changed
	})
}

// unexempt takes the exception out again.
func unexempt(ctx context.Context, c *kube.Client, w Webhook, id string) error {
	return changeWebhooks(ctx, c, w, func(cfg *unstructured.Unstructured) bool {
		return dropConditions(cfg, id)
	})
}

// dropConditions takes the exception of a move out of all webhooks of a configuration.
func dropConditions(cfg *unstructured.Unstructured, id string) (changed bool) {
	for _, hook := range hooksOf(cfg) {
		list, _ := hook["matchConditions"].([]any)
		left := slices.DeleteFunc(slices.Clone(list), func(item any) bool { return isCondition(item, id) })
		if len(left) == len(list) {
			continue
		}
		changed = true
		if hook["matchConditions"] = left; len(left) == 0 {
			delete(hook, "matchConditions")
		}
	}
	return changed
}

func hasCondition(hook map[string]any, id string) bool {
	list, _ := hook["matchConditions"].([]any)
	return slices.ContainsFunc(list, func(item any) bool { return isCondition(item, id) })
}

func isCondition(item any, id string) bool {
	m, _ := item.(map[string]any)
	return m["name"] == conditionPrefix+id
}

// disarm takes the webhooks about Cluster API's kinds out of a configuration, for servers that know no match conditions; the
// journal has them all.
func disarm(ctx context.Context, c *kube.Client, w Webhook) error {
	return changeWebhooks(ctx, c, w, func(cfg *unstructured.Unstructured) bool {
		var left []any
		for _, hook := range hooksOf(cfg) {
			if !aboutCAPI(hook) {
				left = append(left, hook)
			}
		}
		if len(left) == len(hooksOf(cfg)) {
			return false
		}
		cfg.Object["webhooks"] = left
		return true
	})
}

// rearm puts them back as they were.
func rearm(ctx context.Context, c *kube.Client, w Webhook) error {
	var saved []any
	if err := json.Unmarshal(w.Saved, &saved); err != nil {
		return fmt.Errorf("understand the saved webhooks of %s: %w", w.Name, err)
	}
	return changeWebhooks(ctx, c, w, func(cfg *unstructured.Unstructured) bool {
		cfg.Object["webhooks"] = saved
		return true
	})
}

// changeWebhooks reads, changes and writes a configuration until nobody came between. One that is gone stays gone.
func changeWebhooks(ctx context.Context, c *kube.Client, w Webhook, change func(*unstructured.Unstructured) bool) error {
	return kube.Retry(ctx, func(ctx context.Context) error {
		cfg, err := c.Get(ctx, gvkWebhooks(w.Kind), "", w.Name)
		if apierrors.IsNotFound(err) {
			return nil
		} else if err != nil {
			return err
		}
		if !change(cfg) {
			return nil
		}
		_, err = c.Update(ctx, cfg)
		return err
	})
}

// knowsConditions asks a server, by a dry run, whether it keeps match conditions.
func knowsConditions(ctx context.Context, c *kube.Client, id string) (bool, error) {
	probe := &unstructured.Unstructured{Object: map[string]any{
		"webhooks": []any{map[string]any{
			"name": "move.clusterctl.cluster.x-k8s.io", "sideEffects": "None", "admissionReviewVersions": []any{"v1"},
			"clientConfig":    map[string]any{"url": "https://127.0.0.1:1/"},
			"matchConditions": []any{map[string]any{"name": conditionPrefix + id, "expression": "true"}},
		}},
	}}
	probe.SetGroupVersionKind(gvkWebhooks("ValidatingWebhookConfiguration"))
	probe.SetName(conditionPrefix + id)
	got, err := c.CreateDryRun(ctx, probe)
	if err != nil {
		return false, err
	}
	for _, hook := range hooksOf(got) {
		return hasCondition(hook, id), nil
	}
	return false, nil
}
