// SPDX-License-Identifier: Apache-2.0

package kube_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/clusterctl/clusterctl/pkg/event"
	"github.com/clusterctl/clusterctl/pkg/fault"
	"github.com/clusterctl/clusterctl/pkg/kube"
)

func TestWait(t *testing.T) {
	t.Parallel()
	var seen []string
	sink := event.Func(func(e event.Event) { seen = append(seen, string(e.Kind)+" "+e.Step+" "+e.Message) })
	looks := 0
	slow := kube.ConditionFunc("the kettle", func(context.Context) (bool, string, error) {
		looks++
		return looks >= 5, fmt.Sprintf("%d degrees", 20+looks/3*40), nil
	})
	once := 0
	quick := kube.ConditionFunc("the cup", func(context.Context) (bool, string, error) { once++; return true, "", nil })
	if err := kube.Wait(t.Context(), sink, "tea", time.Millisecond, slow, quick); err != nil {
		t.Fatal(err)
	}
	want := "progress tea 1 of 2 ready; the kettle: 20 degrees\nprogress tea 1 of 2 ready; the kettle: 60 degrees"
	if got := strings.Join(seen, "\n"); got != want {
		t.Errorf("progress:\n%s\nwant:\n%s", got, want)
	}
	if looks != 5 || once != 1 {
		t.Errorf("looked %d and %d times, want 5 and 1", looks, once)
	}
}

func TestWaitEnds(t *testing.T) {
	t.Parallel()
	never := kube.ConditionFunc("Deployment a/b", func(context.Context) (bool, string, error) { return false, "0 of 1 available", nil })
	flaky := kube.ConditionFunc("API", func(context.Context) (bool, string, error) {
		return false, "", fmt.Errorf("look: %w", kube.ErrUnreachable)
	})
	broken := kube.ConditionFunc("Thing x", func(context.Context) (bool, string, error) { return false, "", kube.ErrForbidden })
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	err := kube.Wait(ctx, nil, "s", time.Millisecond, never, flaky)
	wantError(t, err, "timed out waiting for 2 of 2", "Deployment a/b: 0 of 1 available", "API: look: server can't be reached")
	if fault.CodeOf(err) != fault.Timeout {
		t.Errorf("code = %d", fault.CodeOf(err))
	}
	err = kube.Wait(t.Context(), nil, "s", time.Millisecond, never, broken)
	wantError(t, err, "wait for Thing x")
	if !errors.Is(err, kube.ErrForbidden) {
		t.Errorf("error = %v", err)
	}
	ctx, cancel = context.WithCancel(t.Context())
	time.AfterFunc(20*time.Millisecond, cancel)
	err = kube.Wait(ctx, nil, "s", time.Millisecond, never)
	wantError(t, err, "Deployment a/b: 0 of 1 available")
	if fault.CodeOf(err) != fault.Interrupted {
		t.Errorf("code = %d", fault.CodeOf(err))
	}
	if err := kube.Wait(t.Context(), nil, "s", time.Millisecond); err != nil {
		t.Errorf("nothing to wait for: %v", err)
	}
}

// deployment is one whose controller reports a status.
func deployment(name, status string) string {
	return fmt.Sprintf(`
apiVersion: apps/v1
kind: Deployment
metadata: {name: %[1]s, namespace: rollouts}
spec:
  replicas: 2
  selector: {matchLabels: {app: %[1]s}}
  template: {metadata: {labels: {app: %[1]s}}, spec: {containers: [{name: manager, image: m}]}}
status: %[2]s
`, name, status)
}

func pod(name, app, status string) string {
	return fmt.Sprintf(`
apiVersion: v1
kind: Pod
metadata: {name: %s, namespace: rollouts, labels: {app: %s}}
spec: {containers: [{name: manager, image: m}]}
status: %s
`, name, app, status)
}

func TestDeploymentAvailable(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, status, pod, want string }{
		{"ok", "{observedGeneration: 1, replicas: 2, updatedReplicas: 2, availableReplicas: 2, readyReplicas: 2}", "", ""},
		{"unseen", "{observedGeneration: 0}", "", "hasn't seen the latest spec"},
		{"rolling", "{observedGeneration: 1, replicas: 2, updatedReplicas: 1, availableReplicas: 2, readyReplicas: 2}", "", "1 of 2 replicas updated"},
		{"old", "{observedGeneration: 1, replicas: 3, updatedReplicas: 2, availableReplicas: 2, readyReplicas: 2}", "", "1 replicas of the old revision left"},
		{
			"quota", "{observedGeneration: 1, conditions: [{type: ReplicaFailure, status: 'True', message: exceeded quota}]}", "",
			"0 of 2 replicas updated: exceeded quota",
		},
		{
			"pull", "{observedGeneration: 1, replicas: 2, updatedReplicas: 2}",
			"{phase: Pending, containerStatuses: [{name: manager, image: m, imageID: '', ready: false, restartCount: 0, state: {waiting: {reason: ImagePullBackOff, message: no such image}}}]}",
			"0 of 2 replicas available; pod pull: container manager: ImagePullBackOff: no such image",
		},
		{
			"crash", "{observedGeneration: 1, replicas: 2, updatedReplicas: 2}",
			"{phase: Running, containerStatuses: [{name: manager, image: m, imageID: '', ready: false, restartCount: 3, state: {terminated: {exitCode: 1, reason: Error}}}]}",
			"pod crash: container manager: Error",
		},
		{
			"nowhere", "{observedGeneration: 1, replicas: 2, updatedReplicas: 2}",
			"{phase: Pending, conditions: [{type: PodScheduled, status: 'False', message: 0/1 nodes are available}]}",
			"pod nowhere: not scheduled: 0/1 nodes are available",
		},
		{"mount", "{observedGeneration: 1, replicas: 2, updatedReplicas: 2}", "{phase: Pending}", "pod mount: FailedMount: no such secret"},
	}
	var docs []string
	for _, tc := range tests {
		docs = append(docs, deployment(tc.name, tc.status))
		if tc.pod != "" {
			docs = append(docs, pod(tc.name, tc.name, tc.pod))
		}
	}
	env.Seed(t, docs...)
	c := connect(t, env.REST)
	mount, err := c.Get(t.Context(), configMaps.GroupVersion().WithKind("Pod"), "rollouts", "mount")
	if err != nil {
		t.Fatal(err)
	}
	for i, reason := range []string{"Scheduled", "FailedMount"} {
		env.Seed(t, fmt.Sprintf(`
apiVersion: v1
kind: Event
metadata: {name: e%d, namespace: rollouts}
involvedObject: {apiVersion: v1, kind: Pod, namespace: rollouts, name: mount, uid: %q}
reason: %s
message: no such secret
type: %s
count: 2
lastTimestamp: %q
`, i, mount.GetUID(), reason, map[string]string{"Scheduled": "Normal", "FailedMount": "Warning"}[reason],
			metav1.NewTime(time.Now().Add(time.Duration(i)*time.Second)).UTC().Format(time.RFC3339)))
	}
	for _, tc := range tests {
		cond := c.DeploymentAvailable("rollouts", tc.name)
		done, reason, err := cond.Check(t.Context())
		if err != nil || done != (tc.want == "") || !strings.Contains(reason, tc.want) {
			t.Errorf("%s: %v, %q, %v; want %q", cond, done, reason, err, tc.want)
		}
	}
	events, err := c.Events(t.Context(), "rollouts", string(mount.GetUID()))
	if err != nil || len(events) != 2 || events[0].Reason != "FailedMount" || events[0].Count != 2 {
		t.Errorf("events = %+v, %v", events, err)
	}
}

func TestWaitListsOnce(t *testing.T) {
	t.Parallel()
	status := "{observedGeneration: 1, replicas: 2, updatedReplicas: 2, availableReplicas: 2, readyReplicas: 2}"
	for i := range 5 {
		env.Seed(t, strings.Replace(deployment(fmt.Sprintf("d%d", i), status), "rollouts", "many", 1))
	}
	c := connect(t, env.REST)
	var conds []kube.Condition
	for i := range 5 {
		conds = append(conds, c.DeploymentAvailable("many", fmt.Sprintf("d%d", i)))
	}
	conds = append(conds, c.ObjectGone(configMaps, "many", "nothing"))
	if err := kube.Wait(within(t, 10*time.Second), nil, "s", time.Millisecond, conds...); err != nil {
		t.Fatal(err)
	}
	if got := c.Requests(); got.ByVerb["list"] != 1 || got.ByVerb["get"] != 1 {
		t.Errorf("requests = %s", got)
	}
}

func TestReadiness(t *testing.T) {
	t.Parallel()
	objs := parse(t, crdYAML("Readied", "")+"\n---\n"+deployment("r", "{}")+`
---
{apiVersion: v1, kind: ConfigMap, metadata: {name: c, namespace: ready}}
---
{apiVersion: batch/v1, kind: Job, metadata: {name: j, namespace: ready}, spec: {template: {spec: {restartPolicy: Never, containers: [{name: c, image: i}]}}}}
---
{apiVersion: v1, kind: Service, metadata: {name: s, namespace: ready}, spec: {ports: [{port: 80}]}}
---
{apiVersion: test.example/v1, kind: Readied, metadata: {name: x, namespace: ready}, spec: {size: big}}
`)
	c := connect(t, env.REST)
	env.Seed(t, "apiVersion: v1\nkind: Namespace\nmetadata: {name: ready}\n", "apiVersion: v1\nkind: Namespace\nmetadata: {name: rollouts}\n")
	if _, err := c.Apply(t.Context(), objs, kube.ApplyOptions{Force: true}); err != nil {
		t.Fatal(err)
	}
	want := map[string]bool{
		"CustomResourceDefinition readieds.test.example": true, "Deployment rollouts/r": false, "Job ready/j": false, "Service ready/s": true,
	}
	for _, cond := range c.Readiness(objs) {
		ready, ok := want[cond.String()]
		delete(want, cond.String())
		done, reason, err := cond.Check(t.Context())
		if err != nil || !ok || done != ready || !done && reason == "" {
			t.Errorf("%s: %v, %q, %v", cond, done, reason, err)
		}
	}
	if len(want) > 0 {
		t.Errorf("no conditions for %v", want)
	}
	done, reason, err := c.CRDEstablished("nothing.test.example").Check(t.Context())
	if done || err != nil || reason != "doesn't exist" {
		t.Errorf("missing CRD: %v, %q, %v", done, reason, err)
	}
}

func TestObjectGone(t *testing.T) {
	t.Parallel()
	env.Seed(t, "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: g, namespace: default, finalizers: [test.example/hold], annotations: {seed/delete: ''}}\n")
	c := connect(t, env.REST)
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Second)
	defer cancel()
	err := kube.Wait(ctx, nil, "s", 10*time.Millisecond, c.ObjectGone(configMaps, "default", "g"))
	wantError(t, err, "ConfigMap default/g: held by finalizers test.example/hold")
	if _, err := c.Patch(t.Context(), configMaps, "default", "g", "application/merge-patch+json", []byte(`{"metadata":{"finalizers":null}}`)); err != nil {
		t.Fatal(err)
	}
	if err := kube.Wait(within(t, 10*time.Second), nil, "s", 10*time.Millisecond, c.ObjectGone(configMaps, "default", "g")); err != nil {
		t.Error(err)
	}
}

func TestRetry(t *testing.T) {
	t.Parallel()
	tries := 0
	err := kube.Retry(t.Context(), func(context.Context) error {
		if tries++; tries < 3 {
			return kube.ErrUnreachable
		}
		return nil
	})
	if err != nil || tries != 3 {
		t.Errorf("%v after %d tries", err, tries)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 250*time.Millisecond)
	defer cancel()
	err = kube.Retry(ctx, func(ctx context.Context) error {
		if tries++; tries > 4 {
			<-ctx.Done()
			return ctx.Err()
		}
		return fmt.Errorf("the real cause: %w", kube.ErrUnreachable)
	})
	wantError(t, err, "the real cause")
	if fault.CodeOf(err) != fault.Timeout {
		t.Errorf("code = %d", fault.CodeOf(err))
	}
}

func TestLease(t *testing.T) {
	t.Parallel()
	c := connect(t, env.REST)
	ctx := t.Context()
	take := func(holder string, ttl time.Duration) error {
		return c.AcquireLease(ctx, "default", "moving", holder, ttl)
	}
	for range 2 { // taken, and renewed
		if err := take("me", time.Minute); err != nil {
			t.Fatal(err)
		}
	}
	err := take("you", time.Minute)
	wantError(t, err, "default/moving by me")
	if !errors.Is(err, kube.ErrLeaseHeld) {
		t.Errorf("error = %v", err)
	}
	if err := c.ReleaseLease(ctx, "default", "moving", "you"); err != nil { // not yours
		t.Error(err)
	}
	if err := take("you", time.Minute); !errors.Is(err, kube.ErrLeaseHeld) {
		t.Errorf("error = %v", err)
	}
	if err := c.ReleaseLease(ctx, "default", "moving", "me"); err != nil {
		t.Error(err)
	}
	if err := take("you", time.Second); err != nil {
		t.Error(err)
	}
	time.Sleep(1100 * time.Millisecond)
	if err := take("me", time.Minute); err != nil {
		t.Errorf("an expired lease isn't taken over: %v", err)
	}
}
