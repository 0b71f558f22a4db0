// SPDX-License-Identifier: Apache-2.0

package kube

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// DeploymentAvailable waits until the Deployment's newest revision runs: its controller has seen the latest spec,
// all replicas are of the new revision and available, and none of the old one is left. The reason names the pod,
// container and cause that block ("ImagePullBackOff: …"), where there are pods.
func (c *Client) DeploymentAvailable(ns, name string) Condition {
	var seen trouble
	return c.ObjectCondition(gkDeployment.WithVersion("v1"), ns, name,
		func(ctx context.Context, u *unstructured.Unstructured) (bool, string, error) {
			if u == nil {
				return false, "doesn't exist", nil
			}
			reason := rollout(u)
			if reason == "" {
				return true, "", nil
			}
			if why := seen.of(func() string { return c.podTrouble(ctx, u) }); why != "" {
				reason += "; " + why
			}
			return false, reason, nil
		})
}

// troubleAge is how long what a Deployment's pods wait for is taken as known: finding it out takes two lists, and who waits looks often.
const troubleAge = time.Second

// trouble remembers what a Deployment's pods waited for a moment ago.
type trouble struct {
	mu  sync.Mutex
	why string
	at  time.Time
}

func (t *trouble) of(look func() string) string {
	t.mu.Lock()
	defer t.mu.Unlock()
	if time.Since(t.at) >= troubleAge {
		t.why, t.at = look(), time.Now()
	}
	return t.why
}

// Replicas are how many a Deployment is to have: 1 where it doesn't say.
func Replicas(u *unstructured.Unstructured) int64 {
	if n, found, _ := unstructured.NestedInt64(u.Object, "spec", "replicas"); found {
		return n
	}
	return 1
}

// rollout says why a Deployment's newest revision isn't fully available yet; "" if it is.
func rollout(u *unstructured.Unstructured) string {
	want := Replicas(u)
	number := func(field string) int64 {
		n, _, _ := unstructured.NestedInt64(u.Object, "status", field)
		return n
	}
	switch {
	case number("observedGeneration") < u.GetGeneration():
		return "its controller hasn't seen the latest spec yet"
	case number("updatedReplicas") < want:
		return fmt.Sprintf("%d of %d replicas updated", number("updatedReplicas"), want) + replicaFailure(u)
	case number("replicas") > number("updatedReplicas"):
		return fmt.Sprintf("%d replicas of the old revision left", number("replicas")-number("updatedReplicas"))
	case number("availableReplicas") < want:
		return fmt.Sprintf("%d of %d replicas available", number("availableReplicas"), want) + replicaFailure(u)
	}
	return ""
}

func replicaFailure(u *unstructured.Unstructured) string {
	for _, cond := range conditionsOf(u) {
		if cond.kind == "ReplicaFailure" && cond.status == "True" {
			return ": " + cond.text()
		}
	}
	return ""
}

// podTrouble says what a Deployment's pods wait for. It is a help only, so its own failures are no reason to fail.
func (c *Client) podTrouble(ctx context.Context, u *unstructured.Unstructured) string {
	selector := labelSelector(u)
	if selector == "" {
		return ""
	}
	pods, err := c.List(ctx, schema.GroupVersionKind{Version: "v1", Kind: "Pod"}, ListOptions{Namespace: u.GetNamespace(), LabelSelector: selector})
	if err != nil || len(pods) == 0 {
		return ""
	}
	slices.SortFunc(pods, func(a, b *unstructured.Unstructured) int { // newest first: that is the new revision
		return b.GetCreationTimestamp().Compare(a.GetCreationTimestamp().Time)
	})
	for _, pod := range pods {
		if why := podReason(pod); why != "" {
			return "pod " + pod.GetName() + ": " + why
		}
	}
	if events, err := c.Events(ctx, u.GetNamespace(), string(pods[0].GetUID())); err == nil {
		for _, e := range events {
			if e.Type == "Warning" {
				return "pod " + pods[0].GetName() + ": " + e.Reason + ": " + e.Message
			}
		}
	}
	return ""
}

func labelSelector(u *unstructured.Unstructured) string {
	m, _, _ := unstructured.NestedMap(u.Object, "spec", "selector")
	var sel metav1.LabelSelector
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(m, &sel); err != nil {
		return ""
	}
	text := metav1.FormatLabelSelector(&sel)
	if strings.HasPrefix(text, "<") { // "<none>", "<error>"
		return ""
	}
	return text
}

// podReason finds why a pod doesn't run: it can't be scheduled, or a container waits or ended.
func podReason(pod *unstructured.Unstructured) string {
	for _, field := range []string{"initContainerStatuses", "containerStatuses"} {
		list, _, _ := unstructured.NestedSlice(pod.Object, "status", field)
		for _, item := range list {
			if why := containerReason(item); why != "" {
				return why
			}
		}
	}
	for _, cond := range conditionsOf(pod) {
		if cond.kind == "PodScheduled" && cond.status == "False" {
			return "not scheduled: " + cond.text()
		}
	}
	return ""
}

func containerReason(item any) string {
	m, _ := item.(map[string]any)
	for _, state := range []string{"waiting", "terminated"} {
		s, _, _ := unstructured.NestedMap(m, "state", state)
		reason := str(s["reason"])
		if reason == "" || reason == "ContainerCreating" || reason == "PodInitializing" || reason == "Completed" {
			continue
		}
		text := "container " + str(m["name"]) + ": " + reason
		if message := str(s["message"]); message != "" {
			text += ": " + firstOf(message)
		}
		return text
	}
	return ""
}

func firstOf(text string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
	return line
}
