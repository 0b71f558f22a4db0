// SPDX-License-Identifier: Apache-2.0

package kube_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	"github.com/clusterctl/clusterctl/pkg/event"
	"github.com/clusterctl/clusterctl/pkg/fault"
	"github.com/clusterctl/clusterctl/pkg/kube"
	"github.com/clusterctl/clusterctl/test/testenv"
)

// upsideDown are objects in an unhelpful order: the object first, its kind later, the namespace last, and a
// webhook for it that nobody will ever answer.
const upsideDown = `
apiVersion: pond.example/v1
kind: PondSettings
metadata: {name: default, namespace: pond-system}
spec: {mode: quiet}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata: {name: pond-manager, namespace: pond-system}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: Role, name: pond-manager}
subjects: [{kind: ServiceAccount, name: pond-manager, namespace: pond-system}]
---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingWebhookConfiguration
metadata: {name: pond-validating}
webhooks:
- name: settings.pond.example
  admissionReviewVersions: [v1]
  sideEffects: None
  failurePolicy: Fail
  timeoutSeconds: 2
  clientConfig: {service: {name: pond-webhook, namespace: pond-system, path: /validate}}
  rules: [{apiGroups: [pond.example], apiVersions: [v1], operations: [CREATE], resources: [pondsettings]}]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata: {name: pond-manager, namespace: pond-system}
rules: [{apiGroups: [""], resources: [secrets], verbs: [get]}]
---
apiVersion: v1
kind: Service
metadata: {name: pond-webhook, namespace: pond-system}
spec: {selector: {app: pond}, ports: [{port: 443, targetPort: 9443}]}
---
apiVersion: v1
kind: Secret
metadata: {name: pond, namespace: pond-system}
stringData: {password: hunter2}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: pond, namespace: pond-system}
spec:
  selector: {matchLabels: {app: pond}}
  template:
    metadata: {creationTimestamp: null, labels: {app: pond}}
    spec:
      containers:
      - name: manager
        image: pond
        resources: {limits: {cpu: 2, memory: 1024Mi}, requests: {cpu: "0.5"}}
        ports: [{containerPort: 9443}]
      volumes: [{name: tmp, emptyDir: {}}]
---
apiVersion: v1
kind: ServiceAccount
metadata: {name: pond-manager, namespace: pond-system}
---
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: pondsettings.pond.example}
spec:
  group: pond.example
  scope: Namespaced
  names: {kind: PondSettings, listKind: PondSettingsList, plural: pondsettings, singular: pondsettings}
  versions:
  - {name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}}
status: {acceptedNames: {kind: "", plural: ""}, conditions: [], storedVersions: []}
---
apiVersion: v1
kind: Namespace
metadata: {name: pond-system}
`

func TestApplyOrdersAndSkips(t *testing.T) {
	t.Parallel()
	c := connect(t, env.REST)
	objs := parse(t, upsideDown)
	opts := kube.ApplyOptions{Force: true, SkipUnchanged: true}

	r, err := c.Apply(t.Context(), objs, opts)
	if err != nil {
		t.Fatal(err)
	}
	if r.Summary() != "10 created" {
		t.Errorf("first: %s", r.Summary())
	}
	if o := r.Objects[0]; o.GVK.Kind != "PondSettings" || o.Name != "default" || o.Namespace != "pond-system" {
		t.Errorf("first outcome = %+v, want that of the first object", o)
	}
	first := c.Requests()
	t.Logf("first: %s", first)
	if n := first.Writes(); n != len(objs) {
		t.Errorf("%d writes for %d objects", n, len(objs))
	}
	for _, w := range env.Audit(t, agent(t)) {
		if w.Code >= 300 {
			t.Errorf("turned down: %s", w)
		}
	}

	r, err = c.Apply(t.Context(), objs, opts)
	if err != nil {
		t.Fatal(err)
	}
	second := c.Requests().Sub(first)
	t.Logf("second: %s", second)
	if r.Summary() != "10 unchanged" || second.Writes() != 0 {
		t.Errorf("second: %s, %d writes", r.Summary(), second.Writes())
	}
	if n := len(env.Writes(t, agent(t))); n != len(objs) {
		t.Errorf("audit log has %d writes for %d objects", n, len(objs))
	}
}

func TestApplyRepairs(t *testing.T) {
	t.Parallel()
	const yaml = `
apiVersion: v1
kind: Namespace
metadata: {name: repairs, labels: {a: b}}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: plain, namespace: repairs}
data: {a: "1", b: "2"}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata: {name: narrow, namespace: repairs}
rules: [{apiGroups: [""], resources: [secrets], verbs: [get]}]
`
	c := connect(t, env.REST)
	opts := kube.ApplyOptions{Force: true, SkipUnchanged: true}
	tests := []struct {
		name, yaml string
		before     func(t *testing.T)
		want       string
	}{
		{"new", yaml, nil, "3 created"},
		{"same", yaml, nil, "3 unchanged"},
		{"a field gone", strings.Replace(yaml, `, b: "2"`, "", 1), nil, "1 configured, 2 unchanged"},
		{"and back", yaml, nil, "1 configured, 2 unchanged"},
		{"changed by somebody", yaml, func(t *testing.T) { t.Helper(); patch(t, c, configMaps, "plain", `{"data":{"a":"9"}}`) }, "1 configured, 2 unchanged"},
		{"added by somebody", yaml, func(t *testing.T) { t.Helper(); patch(t, c, configMaps, "plain", `{"data":{"c":"3"}}`) }, "3 unchanged"},
		{"rule made narrower", yaml, func(t *testing.T) {
			patch(t, c, schema.GroupVersionKind{Group: "rbac.authorization.k8s.io", Version: "v1", Kind: "Role"}, "narrow",
				`{"rules":[{"apiGroups":[""],"resources":["secrets"],"resourceNames":["one"],"verbs":["get"]}]}`)
		}, "1 configured, 2 unchanged"},
	}
	for _, tc := range tests {
		if tc.before != nil {
			tc.before(t)
		}
		r, err := c.Apply(t.Context(), parse(t, tc.yaml), opts)
		if err != nil || r.Summary() != tc.want {
			t.Errorf("%s: %q, %v; want %q", tc.name, r.Summary(), err, tc.want)
		}
	}
	cm, err := c.Get(t.Context(), configMaps, "repairs", "plain")
	if err != nil {
		t.Fatal(err)
	}
	if data, _, _ := unstructured.NestedStringMap(cm.Object, "data"); len(data) != 3 || data["a"] != "1" {
		t.Errorf("data = %v", data)
	}
	if _, old := cm.GetAnnotations()["kubectl.kubernetes.io/last-applied-configuration"]; old {
		t.Error("the last-applied annotation is there")
	}

	// Without looking at contents every object is sent, and the answers still tell what changed.
	before := c.Requests()
	r, err := c.Apply(t.Context(), parse(t, yaml), kube.ApplyOptions{Force: true})
	if err != nil || r.Count(kube.Created) != 0 || c.Requests().Sub(before).Writes() != 3 {
		t.Errorf("without SkipUnchanged: %s, %v, %s", r.Summary(), err, c.Requests().Sub(before))
	}
	if r, err = c.Apply(t.Context(), parse(t, yaml), kube.ApplyOptions{Force: true}); err != nil || r.Summary() != "3 unchanged" {
		t.Errorf("once more: %s, %v", r.Summary(), err)
	}
}

func patch(t *testing.T, c *kube.Client, gvk schema.GroupVersionKind, name, data string) {
	t.Helper()
	if _, err := c.Patch(t.Context(), gvk, "repairs", name, types.MergePatchType, []byte(data)); err != nil {
		t.Fatal(err)
	}
}

func TestApplyLargeCRD(t *testing.T) {
	t.Parallel()
	crd := parse(t, crdYAML("Large", ""))[0]
	versions, _, _ := unstructured.NestedSlice(crd.Object, "spec", "versions")
	props := versions[0].(map[string]any)["schema"].(map[string]any)["openAPIV3Schema"].(map[string]any)["properties"].(map[string]any)
	for i := range 1100 {
		props[fmt.Sprintf("field%d", i)] = map[string]any{"type": "string", "description": strings.Repeat("very long text ", 66)}
	}
	if err := unstructured.SetNestedSlice(crd.Object, versions, "spec", "versions"); err != nil {
		t.Fatal(err)
	}
	data, err := crd.MarshalJSON()
	if err != nil || len(data) < 1<<20 {
		t.Fatalf("CRD has %d bytes, %v", len(data), err)
	}
	c := connect(t, env.REST)
	objs := append([]*unstructured.Unstructured{}, parse(t, "apiVersion: test.example/v1\nkind: Large\nmetadata: {name: l}\nspec: {size: big}\n")...)
	objs = append(objs, crd)
	for _, want := range []string{"2 created", "2 unchanged"} {
		r, err := c.Apply(t.Context(), objs, kube.ApplyOptions{Force: true, SkipUnchanged: true})
		if err != nil || r.Summary() != want {
			t.Errorf("%q, %v; want %q", r.Summary(), err, want)
		}
	}
	if _, err := c.Get(t.Context(), schema.GroupVersionKind{Group: "test.example", Version: "v1", Kind: "Large"}, "default", "l"); err != nil {
		t.Error("object without a namespace isn't in default:", err)
	}
}

func TestApplyErrors(t *testing.T) {
	t.Parallel()
	env.Seed(t, crdYAML("Strict", ""))
	tests := map[string]struct {
		yaml string
		is   error
		want []string
		hint string
	}{
		"no such kind": {"apiVersion: nowhere.example/v1\nkind: Thing\nmetadata: {name: x}\n", kube.ErrNoKind, []string{"apply Thing x (there)", "doesn't serve Thing"}, ""},
		"invalid": {
			"apiVersion: test.example/v1\nkind: Strict\nmetadata: {name: s, namespace: default}\nspec: {size: huge}\n", nil,
			[]string{"apply Strict default/s (there)", "spec.size"},
			"",
		},
		"unknown field of a built-in kind": {
			"apiVersion: v1\nkind: ConfigMap\nmetadata: {name: s, namespace: default}\nspec: {size: huge}\n", nil,
			[]string{"apply ConfigMap default/s", "spec"},
			"",
		},
		"no namespace": {
			"apiVersion: v1\nkind: ConfigMap\nmetadata: {name: s, namespace: nowhere}\n", nil,
			[]string{"apply ConfigMap nowhere/s", `namespaces "nowhere" not found`},
			"create the namespace nowhere first",
		},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := connect(t, env.REST)
			begin := time.Now()
			_, err := c.Apply(within(t, time.Minute), parse(t, tc.yaml), kube.ApplyOptions{
				Force: true, Origin: func(*unstructured.Unstructured) string { return "there" },
			})
			wantError(t, err, tc.want...)
			if tc.is != nil && !errors.Is(err, tc.is) {
				t.Errorf("error %v isn't %v", err, tc.is)
			}
			if d := time.Since(begin); d > 10*time.Second {
				t.Errorf("took %s: not fast", d)
			}
			if hints := strings.Join(fault.Hints(err), "\n"); !strings.Contains(hints, tc.hint) {
				t.Errorf("hints = %q, want %q", hints, tc.hint)
			}
		})
	}
}

func TestApplyWithoutRights(t *testing.T) {
	t.Parallel()
	env.Seed(t, `
apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata: {name: writer, namespace: rights}
rules: [{apiGroups: [""], resources: [configmaps], verbs: [create, patch]}]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata: {name: writer, namespace: rights}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: Role, name: writer}
subjects: [{apiGroup: rbac.authorization.k8s.io, kind: User, name: writer}]
`)
	c := connect(t, env.User(t, "writer"))
	// May write, but not look.
	objs := parse(t, "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: w, namespace: rights}\ndata: {a: b}\n")
	r, err := c.Apply(t.Context(), objs, kube.ApplyOptions{Force: true, SkipUnchanged: true})
	if err != nil || r.Summary() != "1 created" {
		t.Errorf("%s, %v", r.Summary(), err)
	}
	// May not write.
	objs = append(objs, parse(t, "apiVersion: v1\nkind: Secret\nmetadata: {name: w, namespace: rights}\nstringData: {password: hunter2}\n")...)
	_, err = c.Apply(within(t, time.Minute), objs, kube.ApplyOptions{Force: true})
	wantError(t, err, "apply Secret rights/w", "cannot patch")
	if !errors.Is(err, kube.ErrForbidden) || strings.Contains(err.Error(), "hunter2") || len(fault.Hints(err)) == 0 {
		t.Errorf("error = %v, hints %q", err, fault.Hints(err))
	}
}

func TestApplyConflict(t *testing.T) {
	t.Parallel()
	c := connect(t, env.REST)
	yaml := "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: contested, namespace: default}\ndata: {a: %q}\n"
	if _, err := c.Apply(t.Context(), parse(t, fmt.Sprintf(yaml, "1")), kube.ApplyOptions{FieldManager: "other"}); err != nil {
		t.Fatal(err)
	}
	_, err := c.Apply(within(t, time.Minute), parse(t, fmt.Sprintf(yaml, "2")), kube.ApplyOptions{})
	wantError(t, err, "apply ConfigMap default/contested", "other")
	if kube.Classify(err) != kube.ClassFatal || len(fault.Hints(err)) == 0 {
		t.Errorf("class %d, hints %q", kube.Classify(err), fault.Hints(err))
	}
	if r, err := c.Apply(t.Context(), parse(t, fmt.Sprintf(yaml, "2")), kube.ApplyOptions{Force: true}); err != nil || r.Summary() != "1 configured" {
		t.Errorf("with force: %s, %v", r.Summary(), err)
	}
}

// TestApplyAgain: what somebody changed since the same content was applied stays so, and is no error for ever. Who wants something else
// than before is told of it.
func TestApplyAgain(t *testing.T) {
	t.Parallel()
	notes := ""
	c := connect(t, env.REST, func(o *kube.Options) { o.Sink = event.Func(func(e event.Event) { notes += e.Message }) })
	yaml := "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: again, namespace: default}\ndata: {a: %q}\n"
	apply := func(value, manager string, dryRun bool) (kube.ApplyResult, error) {
		o := kube.ApplyOptions{SkipUnchanged: manager == "", FieldManager: manager, Force: manager != "", DryRun: dryRun}
		return c.Apply(within(t, time.Minute), parse(t, fmt.Sprintf(yaml, value)), o)
	}
	for _, first := range []string{"", "scaler"} {
		if _, err := apply(map[string]string{"": "1", "scaler": "2"}[first], first, false); err != nil {
			t.Fatal(err)
		}
	}
	for _, dryRun := range []bool{true, false} {
		notes = ""
		if r, err := apply("1", "", dryRun); err != nil || r.Summary() != "1 unchanged" {
			t.Errorf("the same again: %s, %v", r.Summary(), err)
		}
		if want := "ConfigMap default/again stays as it was changed since: .data.a (conflict with \"scaler\")"; dryRun == (notes == want) {
			t.Errorf("dry run %t: notes %q", dryRun, notes)
		}
	}
	_, err := apply("3", "", false)
	wantError(t, err, "apply ConfigMap default/again", "scaler")
	if len(fault.Hints(err)) == 0 {
		t.Error("no hint")
	}
	if r, err := apply("2", "", false); err != nil || r.Summary() != "1 configured" {
		t.Errorf("as it is now: %s, %v", r.Summary(), err)
	}
}

func TestApplyDryRun(t *testing.T) {
	t.Parallel()
	c := connect(t, env.REST)
	yaml := strings.NewReplacer("pond", "dry", "Pond", "Dry").Replace(upsideDown)
	objs := append(parse(t, yaml), parse(t, "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: dry, namespace: default}\n")...)
	r, err := c.Apply(t.Context(), objs, kube.ApplyOptions{Force: true, SkipUnchanged: true, DryRun: true})
	if err != nil {
		t.Fatal(err)
	}
	var unchecked []string
	for _, o := range r.Objects {
		if o.Unchecked {
			unchecked = append(unchecked, o.GVK.Kind)
		}
	}
	if r.Summary() != "11 created" || len(unchecked) != 7 || !slices.Contains(unchecked, "DrySettings") {
		t.Errorf("%s, unchecked %v", r.Summary(), unchecked)
	}
	if n := c.Requests().Writes(); n != 0 {
		t.Errorf("%d writes", n)
	}
	if _, err := c.Get(t.Context(), namespaces, "", "dry-system"); !apierrors.IsNotFound(err) {
		t.Errorf("namespace: %v", err)
	}
}

func TestApplySurvivesRestart(t *testing.T) {
	t.Parallel()
	e := testenv.Start(t)
	seen := make(chan string, 1000)
	c := connect(t, e.REST, func(o *kube.Options) {
		o.Sink = event.Func(func(e event.Event) { seen <- e.Message })
	})
	if err := c.Discover(t.Context()); err != nil {
		t.Fatal(err)
	}
	e.Kill(t)
	type outcome struct {
		r   kube.ApplyResult
		err error
	}
	done := make(chan outcome)
	objs := parse(t, "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: patient, namespace: default}\n")
	go func() {
		r, err := c.Apply(within(t, time.Minute), objs, kube.ApplyOptions{Force: true, Step: "apply"})
		done <- outcome{r, err}
	}()
	// Not before Apply has met the dead server.
	if first := <-seen; !strings.Contains(first, "connection refused") {
		t.Errorf("progress = %q", first)
	}
	e.Restart(t)
	if o := <-done; o.err != nil || o.r.Summary() != "1 created" {
		t.Errorf("%s, %v", o.r.Summary(), o.err)
	}

	e.Kill(t)
	ctx, cancel := context.WithTimeout(t.Context(), 4*time.Second)
	defer cancel()
	_, err := c.Apply(ctx, objs, kube.ApplyOptions{Force: true})
	wantError(t, err, "ConfigMap", "can't reach "+e.REST.Host, "connection refused")
	if fault.CodeOf(err) != fault.Timeout {
		t.Errorf("code = %d", fault.CodeOf(err))
	}
}
