// SPDX-License-Identifier: Apache-2.0

package provider

import (
	"context"
	"encoding/json"
	"encoding/pem"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/clusterctl/clusterctl/pkg/event"
	"github.com/clusterctl/clusterctl/pkg/fault"
	"github.com/clusterctl/clusterctl/pkg/kube"
	"github.com/clusterctl/clusterctl/test/testenv"
)

const agent = "install-test"

func connect(t *testing.T, env *testenv.Env, agent string) *kube.Client {
	t.Helper()
	c, err := kube.New(env.REST, kube.Options{UserAgent: agent})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c
}

// playDeployments does what a deployment controller with willing nodes would end in: every Deployment is available.
func playDeployments(t *testing.T, c *kube.Client) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() {
		defer close(done)
		for ctx.Err() == nil {
			all, _ := c.List(ctx, deploymentGVK(), kube.ListOptions{})
			for _, d := range all {
				makeAvailable(ctx, c, d)
			}
			select {
			case <-ctx.Done():
			case <-time.After(100 * time.Millisecond):
			}
		}
	}()
	t.Cleanup(func() { cancel(); <-done })
}

func makeAvailable(ctx context.Context, c *kube.Client, d *unstructured.Unstructured) {
	replicas, _, _ := unstructured.NestedInt64(d.Object, "spec", "replicas")
	seen, _, _ := unstructured.NestedInt64(d.Object, "status", "observedGeneration")
	if seen == d.GetGeneration() {
		return
	}
	d.Object["status"] = map[string]any{
		"observedGeneration": d.GetGeneration(), "replicas": replicas, "readyReplicas": replicas,
		"updatedReplicas": replicas, "availableReplicas": replicas,
	}
	_, _ = c.UpdateStatus(ctx, d)
}

// webhook is a server that admits everything and remembers what it was asked to store.
type webhook struct {
	*httptest.Server
	mu   sync.Mutex
	seen []string
}

func newWebhook(t *testing.T) *webhook {
	t.Helper()
	w := &webhook{}
	w.Server = httptest.NewTLSServer(w)
	t.Cleanup(w.Close)
	return w
}

func (w *webhook) ServeHTTP(rw http.ResponseWriter, r *http.Request) {
	var review struct {
		APIVersion string `json:"apiVersion"`
		Kind       string `json:"kind"`
		Request    struct {
			UID    string `json:"uid"`
			Name   string `json:"name"`
			DryRun bool   `json:"dryRun"`
		} `json:"request"`
	}
	if err := json.NewDecoder(r.Body).Decode(&review); err != nil {
		http.Error(rw, err.Error(), http.StatusBadRequest)
		return
	}
	if !review.Request.DryRun {
		w.mu.Lock()
		w.seen = append(w.seen, review.Request.Name)
		w.mu.Unlock()
	}
	_ = json.NewEncoder(rw).Encode(map[string]any{
		"apiVersion": review.APIVersion, "kind": review.Kind,
		"response": map[string]any{"uid": review.Request.UID, "allowed": true},
	})
}

func (w *webhook) stored() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.Clone(w.seen)
}

// prepare points webhook configurations to the server.
func (w *webhook) prepare(objs []*unstructured.Unstructured) ([]*unstructured.Unstructured, error) {
	ca := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: w.Certificate().Raw})
	for _, o := range objs {
		if !isWebhookConfig(o) {
			continue
		}
		hooks, _, _ := unstructured.NestedSlice(o.Object, "webhooks")
		for _, h := range hooks {
			h.(map[string]any)["clientConfig"] = map[string]any{"url": w.URL + "/validate", "caBundle": encode64(ca)}
		}
		if err := unstructured.SetNestedSlice(o.Object, hooks, "webhooks"); err != nil {
			return nil, err
		}
	}
	return objs, nil
}

// notes collects what people are told.
type notes struct {
	mu    sync.Mutex
	lines []string
}

func (n *notes) Send(e event.Event) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.lines = append(n.lines, string(e.Kind)+": "+e.Message)
}

func (n *notes) has(part string) bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	return slices.ContainsFunc(n.lines, func(l string) bool { return strings.Contains(l, part) })
}

func exists(t *testing.T, c *kube.Client, gvk schema.GroupVersionKind, ns, name string) *unstructured.Unstructured {
	t.Helper()
	u, err := c.Get(t.Context(), gvk, ns, name)
	if err != nil {
		t.Errorf("%v", err)
		return &unstructured.Unstructured{Object: map[string]any{}}
	}
	return u
}

func deadline(t *testing.T, d time.Duration) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), d)
	t.Cleanup(cancel)
	return ctx
}

func TestInstall(t *testing.T) {
	t.Parallel()
	env := testenv.Start(t)
	look := connect(t, env, "look")
	playDeployments(t, connect(t, env, "player"))
	hook := newWebhook(t)
	cfg, _ := repo(t, text(t, "lagoon.yaml"), map[string]string{
		"infrastructure-lagoon/v0.3.1-rc.1/infrastructure-components.yaml": text(t, "lagoon.yaml"),
		"infrastructure-lagoon/v0.3.1-rc.1/metadata.yaml":                  lagoonMetadata,
	})
	comps, err := components(t, cfg, ComponentOptions{}, lagoonSpec(), coreSpec())
	if err != nil {
		t.Fatal(err)
	}
	said := &notes{}
	opts := InstallOptions{Prepare: hook.prepare, Sink: said, Config: cfg}

	var first time.Duration
	t.Run("first run", func(t *testing.T) {
		c := connect(t, env, agent)
		began := time.Now()
		res, err := Install(deadline(t, time.Minute), c, comps, opts)
		if err != nil {
			t.Fatal(err)
		}
		first = time.Since(began)
		want := []ProviderResult{
			{Label: "cluster-api", Version: "v1.14.2", Namespace: "capi-system", Created: 9},
			{Label: "infrastructure-lagoon", Version: "v0.3.0", Namespace: "lagoon-system", Created: 5},
		}
		if d := cmp.Diff(want, res.Providers); d != "" {
			t.Errorf("result (-want +got):\n%s", d)
		}
		t.Logf("%v; %d objects; requests %s", first, len(res.Objects), c.Requests())
		if n := c.Requests().Total; n > 2*len(res.Objects)+15 {
			t.Errorf("%d requests for %d objects: %s", n, len(res.Objects), c.Requests())
		}
		if d := cmp.Diff([]string{"lagoon-quick"}, hook.stored()); d != "" {
			t.Errorf("objects that the webhook checked (-want +got):\n%s", d)
		}
		if !said.has("note: infrastructure-lagoon v0.3.0 in lagoon-system: 5 created") {
			t.Errorf("people hear: %v", said.lines)
		}
		for _, w := range env.Audit(t, agent) {
			if w.Code >= 400 {
				t.Errorf("turned down on the way: %s", w)
			}
		}
	})
	t.Run("inventory", func(t *testing.T) {
		e := exists(t, look, inventoryGVK(), "lagoon-system", "infrastructure-lagoon")
		for field, want := range map[string]string{"providerName": "lagoon", "type": "InfrastructureProvider", "version": "v0.3.0"} {
			if e.Object[field] != want {
				t.Errorf("%s is %v", field, e.Object[field])
			}
		}
		got, err := Installed(t.Context(), look)
		want := []InstalledProvider{
			{Name: "cluster-api", Type: CoreProvider, Version: "v1.14.2", Namespace: "capi-system", Deployments: []string{"capi-controller-manager"}, Source: "inventory"},
			{Name: "lagoon", Type: InfrastructureProvider, Version: "v0.3.0", Namespace: "lagoon-system", Deployments: []string{"lagoon-controller-manager"}, Source: "inventory"},
		}
		if d := cmp.Diff(want, got, cmp.FilterPath(func(p cmp.Path) bool { return p.Last().String() == ".images" }, cmp.Ignore())); d != "" || err != nil {
			t.Errorf("installed (-want +got): %v\n%s", err, d)
		}
		if s := Pin(lagoonSpec(), got); s.Version != "v0.3.0" {
			t.Errorf("pinned to %q", s.Version)
		}
	})
	t.Run("check", func(t *testing.T) {
		c := connect(t, env, "check")
		if err := Check(deadline(t, time.Minute), c, comps, opts); err != nil || c.Requests().Writes() != 0 {
			t.Errorf("%d writes, %v", c.Requests().Writes(), err)
		}
	})
	t.Run("second run", func(t *testing.T) {
		before := len(env.Writes(t, agent))
		c := connect(t, env, agent)
		began := time.Now()
		res, err := Install(deadline(t, time.Minute), c, comps, opts)
		took := time.Since(began)
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("%v, first %v; requests %s", took, first, c.Requests())
		if res.Changed() || res.Providers[1].Same != 5 {
			t.Errorf("result %+v", res.Providers)
		}
		for _, w := range env.Audit(t, agent)[before:] {
			if !w.DryRun {
				t.Errorf("write: %s", w)
			}
		}
	})
	t.Run("repairs", func(t *testing.T) {
		cm := schema.GroupVersionKind{Version: "v1", Kind: "ConfigMap"}
		if err := look.Delete(t.Context(), cm, "lagoon-system", "lagoon-settings", deleteNow); err != nil {
			t.Fatal(err)
		}
		res, err := Install(deadline(t, time.Minute), connect(t, env, agent), comps, opts)
		if err != nil || res.Providers[1].Created != 1 || res.Providers[1].Same != 4 {
			t.Errorf("result %+v, %v", res.Providers, err)
		}
		exists(t, look, cm, "lagoon-system", "lagoon-settings")
	})
	for name, tc := range map[string]struct {
		spec      Spec
		namespace string
		fault     string
		hint      string
	}{
		"other version":   {Spec{Type: InfrastructureProvider, Name: "lagoon", Version: "v0.3.1-rc.1"}, "", "infrastructure-lagoon v0.3.0 is installed, and v0.3.1-rc.1 is asked for", "upgrade apply --infrastructure lagoon:v0.3.1-rc.1"},
		"other namespace": {lagoonSpec(), "harbour", "is installed in namespace lagoon-system", "lagoon-system"},
	} {
		t.Run(name, func(t *testing.T) {
			other, err := components(t, cfg, ComponentOptions{TargetNamespace: tc.namespace}, tc.spec)
			if err != nil {
				t.Fatal(err)
			}
			c := connect(t, env, "refused")
			_, err = Install(deadline(t, time.Minute), c, other, opts)
			if fault.CodeOf(err) != fault.Refused || !strings.Contains(err.Error(), tc.fault) || !strings.Contains(strings.Join(fault.Hints(err), "\n"), tc.hint) {
				t.Errorf("error %v, hints %v", err, fault.Hints(err))
			}
			if n := c.Requests().Writes(); n != 0 {
				t.Errorf("%d writes", n)
			}
		})
	}
	t.Run("without inventory and labels", func(t *testing.T) {
		for _, label := range []string{"cluster-api", "infrastructure-lagoon"} {
			ns := map[string]string{"cluster-api": "capi-system"}[label]
			if ns == "" {
				ns = "lagoon-system"
			}
			if err := look.Delete(t.Context(), inventoryGVK(), ns, label, deleteNow); err != nil {
				t.Fatal(err)
			}
		}
		d := exists(t, look, deploymentGVK(), "capi-system", "capi-controller-manager")
		d.SetLabels(nil)
		if _, err := look.Update(t.Context(), d); err != nil {
			t.Fatal(err)
		}
		got, err := Installed(t.Context(), look)
		if err != nil || len(got) != 2 || got[0].Source != "image" || got[0].Version != "v1.14.2" || got[1].Source != "deployment" || got[1].Version != "v0.3.0" {
			t.Errorf("installed %+v, %v", got, err)
		}
	})
}

// Objects come before what they need, and a webhook guards one of them that nothing ever answers.
func TestInstallUpsideDown(t *testing.T) {
	t.Parallel()
	env := testenv.Start(t)
	look := connect(t, env, "look")
	cfg, dir := repo(t, text(t, "upside-down.yaml"), map[string]string{
		"cluster-api/v1.14.2/core-components.yaml": "apiVersion: v1\nkind: Namespace\nmetadata: {name: capi-system}\n",
		"cm/cert-manager.yaml":                     "apiVersion: v1\nkind: Namespace\nmetadata: {name: cert-manager}\n",
		"clusterctl.yaml":                          repoConfig + "cert-manager: {url: cm/cert-manager.yaml, version: v1.20.0}\n",
	})
	if err := os.Remove(filepath.Join(dir, "infrastructure-lagoon/v0.3.0/metadata.yaml")); err != nil {
		t.Fatal(err)
	}
	comps, err := components(t, cfg, ComponentOptions{}, coreSpec(), lagoonSpec())
	if err != nil {
		t.Fatal(err)
	}
	said := &notes{}
	t.Run("cert-manager without its kinds", func(t *testing.T) {
		c := connect(t, env, "refused")
		_, err := Install(deadline(t, time.Minute), c, comps, InstallOptions{Config: cfg})
		if fault.CodeOf(err) != fault.Refused || !strings.Contains(err.Error(), "doesn't define Certificate, Issuer") {
			t.Errorf("error %v", err)
		}
		_, err = Install(deadline(t, time.Minute), c, comps, InstallOptions{})
		if fault.CodeOf(err) != fault.Refused || !strings.Contains(err.Error(), "need cert-manager (Certificate, Issuer)") {
			t.Errorf("error %v", err)
		}
		if n := c.Requests().Writes(); n != 0 {
			t.Errorf("%d writes", n)
		}
	})
	t.Run("install", func(t *testing.T) {
		cfg, _ := load(t, LoadOptions{Path: write(t, dir, "with.yaml", repoConfig+"cert-manager: {url: kinds.yaml}\n")})
		write(t, dir, "kinds.yaml", text(t, "cert-manager.yaml"))
		if _, err := Install(deadline(t, time.Minute), connect(t, env, agent), comps, InstallOptions{Config: cfg, Sink: said}); err != nil {
			t.Fatal(err)
		}
		kind := func(group, version, kind string) schema.GroupVersionKind {
			return schema.GroupVersionKind{Group: group, Version: version, Kind: kind}
		}
		exists(t, look, kind("infrastructure.cluster.x-k8s.io", "v1", "LagoonSettings"), "lagoon-system", "default")
		exists(t, look, kind("cert-manager.io", "v1", "Certificate"), "lagoon-system", "lagoon-serving")
		exists(t, look, kind("cert-manager.io", "v1", "Issuer"), "lagoon-system", "lagoon-selfsigned")
		exists(t, look, kind("rbac.authorization.k8s.io", "v1", "RoleBinding"), "lagoon-system", "lagoon-manager")
		exists(t, look, kind("admissionregistration.k8s.io", "v1", "ValidatingWebhookConfiguration"), "", "lagoon-validating")
		ns := exists(t, look, kind("", "v1", "Namespace"), "", "cert-manager")
		if ns.GetLabels()[coreLabel] != "cert-manager" {
			t.Errorf("cert-manager's labels: %v", ns.GetLabels())
		}
		for _, w := range env.Audit(t, agent) {
			if w.Code >= 400 {
				t.Errorf("turned down on the way: %s", w)
			}
		}
		if !said.has("warn: infrastructure-lagoon v0.3.0 has no metadata.yaml") {
			t.Errorf("people hear: %v", said.lines)
		}
		if !said.has("webhook settings.lagoon.example of lagoon-validating: nothing in the components serves it") {
			t.Errorf("people hear: %v", said.lines)
		}
	})
	t.Run("again", func(t *testing.T) {
		c := connect(t, env, agent)
		res, err := Install(deadline(t, time.Minute), c, comps, InstallOptions{Config: cfg})
		if err != nil || res.Changed() {
			t.Errorf("changed %v, %v", res.Changed(), err)
		}
	})
}

func TestInstallRefusesBeforeWriting(t *testing.T) {
	t.Parallel()
	env := testenv.Start(t)
	for _, tc := range []struct {
		name  string
		more  map[string]string
		specs []Spec
		fault string
	}{
		{"no core", nil, []Spec{lagoonSpec()}, "no core provider"},
		{"contract", map[string]string{"infrastructure-lagoon/v0.3.0/metadata.yaml": strings.Replace(lagoonMetadata, "v1beta1", "v1alpha4", 1)}, []Spec{coreSpec(), lagoonSpec()}, "is made for the v1alpha4 contract; the core provider works with v1beta2 and v1beta1"},
		{"twice", nil, []Spec{coreSpec(), coreSpec()}, "asked for twice"},
		{"same object, different", map[string]string{"infrastructure-lagoon/v0.3.0/infrastructure-components.yaml": text(t, "lagoon.yaml") + "\n---\napiVersion: rbac.authorization.k8s.io/v1\nkind: ClusterRole\nmetadata: {name: capi-manager}\n"}, []Spec{coreSpec(), lagoonSpec()}, "ClusterRole capi-manager comes with cluster-api and, different, with infrastructure-lagoon"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			cfg, _ := repo(t, text(t, "lagoon.yaml"), tc.more)
			comps, err := components(t, cfg, ComponentOptions{}, tc.specs...)
			if err != nil {
				t.Fatal(err)
			}
			c := connect(t, env, agent)
			_, err = Install(deadline(t, time.Minute), c, comps, InstallOptions{})
			if fault.CodeOf(err) != fault.Refused || !strings.Contains(err.Error(), tc.fault) {
				t.Errorf("code %d, error %v", fault.CodeOf(err), err)
			}
			if n := c.Requests().Writes(); n != 0 {
				t.Errorf("%d writes", n)
			}
		})
	}
	t.Run("stuck Deployment", func(t *testing.T) {
		cfg, _ := repo(t, text(t, "lagoon.yaml"), nil)
		comps, err := components(t, cfg, ComponentOptions{}, coreSpec(), lagoonSpec())
		if err != nil {
			t.Fatal(err)
		}
		_, err = Install(deadline(t, 5*time.Second), connect(t, env, agent), comps, InstallOptions{})
		if fault.CodeOf(err) != fault.Timeout || !strings.Contains(err.Error(), "capi-controller-manager") || !strings.Contains(err.Error(), "lagoon-controller-manager") {
			t.Errorf("error %v", err)
		}
		c := connect(t, env, agent)
		_, err = c.Get(t.Context(), schema.GroupVersionKind{Group: "cluster.x-k8s.io", Version: "v1beta2", Kind: "ClusterClass"}, "lagoon-system", "lagoon-quick")
		if !apierrors.IsNotFound(err) {
			t.Errorf("an object that the webhook checks exists before the webhook answers: %v", err)
		}
	})
}
