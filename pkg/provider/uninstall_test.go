// SPDX-License-Identifier: Apache-2.0

package provider

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"

	"github.com/clusterctl/clusterctl/pkg/capi"
	"github.com/clusterctl/clusterctl/pkg/fault"
	"github.com/clusterctl/clusterctl/pkg/kube"
	"github.com/clusterctl/clusterctl/test/testenv"
)

// TestUninstall installs providers on a cluster that has something already, and takes away what they brought, and nothing else.
func TestUninstall(t *testing.T) {
	env := testenv.Start(t, testenv.WithControllerManager())
	c := connect(t, env, "uninstall-test")
	playDeployments(t, connect(t, env, "player"))
	hook := newWebhook(t)
	cfg, _ := repo(t, text(t, "lagoon.yaml"), nil)
	comps, err := components(t, cfg, ComponentOptions{}, lagoonSpec(), coreSpec())
	if err != nil {
		t.Fatal(err)
	}
	// One namespace was there before: it isn't ours.
	namespaceGVK := schema.GroupVersionKind{Version: "v1", Kind: "Namespace"}
	if _, err := c.Create(t.Context(), kube.Ref{Version: "v1", Kind: "Namespace", Name: "capi-system"}.Object()); err != nil {
		t.Fatal(err)
	}

	var noted []kube.Ref
	opts := InstallOptions{Prepare: hook.prepare, Config: cfg, Interval: 100 * time.Millisecond, Before: func(_ context.Context, refs []kube.Ref) error {
		if installed, err := Installed(t.Context(), c); err != nil || len(installed) > 0 {
			t.Errorf("told of after the first write: %v %v", installed, err)
		}
		noted = append(noted, refs...)
		return nil
	}}
	res, err := Install(deadline(t, time.Minute), c, comps, opts)
	if err != nil {
		t.Fatal(err)
	}
	if len(noted) != len(res.Objects)-1 || slices.ContainsFunc(noted, func(r kube.Ref) bool { return r.Kind == "Namespace" && r.Name == "capi-system" }) {
		t.Errorf("%d objects noted, %d applied: %v", len(noted), len(res.Objects), noted)
	}
	if err := func() error {
		_, err := Install(deadline(t, time.Minute), c, comps, InstallOptions{Prepare: hook.prepare, Config: cfg, Interval: time.Second, Before: func(context.Context, []kube.Ref) error {
			return errors.New("told of again")
		}})
		return err
	}(); err != nil {
		t.Errorf("second installation: %v", err)
	}

	kind := lagoonKind(t, c)
	thing := &unstructured.Unstructured{Object: map[string]any{}}
	thing.SetGroupVersionKind(kind)
	thing.SetNamespace("default")
	thing.SetName("somebodys")
	if _, err := c.Create(t.Context(), thing); err != nil {
		t.Fatal(err)
	}
	t.Run("in use", func(t *testing.T) {
		counted := connect(t, env, "uninstall-refused")
		_, err := Uninstall(deadline(t, time.Minute), counted, noted, UninstallOptions{})
		var used *InUseError
		if !errors.As(err, &used) || used.Total != 1 || !strings.Contains(err.Error(), "default/somebodys") || fault.CodeOf(err) != fault.Refused {
			t.Errorf("error %v", err)
		}
		if n := counted.Requests().Writes(); n != 0 {
			t.Errorf("%d writes", n)
		}
	})
	t.Run("in use by somebody's that has a noted name", func(t *testing.T) {
		ref := kube.RefOf(thing)
		ref.Name = "noted"
		createAs(t, env, "kubectl", ref.Object())
		_, err := Uninstall(deadline(t, time.Minute), c, append(slices.Clone(noted), ref), UninstallOptions{})
		var used *InUseError
		if !errors.As(err, &used) || used.Total != 2 || !strings.Contains(err.Error(), "default/noted") {
			t.Errorf("error %v", err)
		}
		if err := c.Delete(t.Context(), kind, "default", "noted", deleteNow); err != nil {
			t.Fatal(err)
		}
	})
	if err := c.Delete(t.Context(), kind, "default", "somebodys", deleteNow); err != nil {
		t.Fatal(err)
	}
	t.Run("never a Cluster", func(t *testing.T) {
		ref := kube.Ref{Group: capi.GroupCore, Version: "v1beta2", Kind: "Cluster", Namespace: "default", Name: "heron"}
		if _, err := Uninstall(deadline(t, time.Minute), c, []kube.Ref{ref}, UninstallOptions{}); fault.CodeOf(err) != fault.Refused {
			t.Errorf("error %v", err)
		}
	})

	ours := thing.DeepCopy()
	ours.SetName("class")
	ours.SetLabels(map[string]string{"a": "b"}) // the API server has no manager for an object without a field
	ours.SetResourceVersion("")
	ours.SetUID("")
	createAs(t, env, kube.FieldManager, ours) // as a move does
	made, err := c.Get(t.Context(), kind, "default", "class")
	if err != nil {
		t.Fatal(err)
	}
	noted = append(noted, kube.RefOf(ours))
	request := ours.DeepCopy() // as cert-manager makes a CertificateRequest for a Certificate
	request.SetName("request")
	request.SetOwnerReferences([]metav1.OwnerReference{{APIVersion: made.GetAPIVersion(), Kind: made.GetKind(), Name: made.GetName(), UID: made.GetUID()}})
	createAs(t, env, "controller", request)

	stranger := kube.Ref{Version: "v1", Kind: "ConfigMap", Namespace: "lagoon-system", Name: "notes"}
	if _, err := c.Create(t.Context(), stranger.Object()); err != nil {
		t.Fatal(err)
	}
	t.Run("but a namespace that somebody uses", func(t *testing.T) {
		out, err := Uninstall(deadline(t, time.Minute), c, noted, UninstallOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if len(out.Kept) != 1 || !strings.Contains(out.Kept[0], "namespace lagoon-system: it holds ConfigMap lagoon-system/notes") {
			t.Errorf("kept %v", out.Kept)
		}
		exists(t, c, namespaceGVK, "", "lagoon-system")
		exists(t, c, namespaceGVK, "", "capi-system")
		if _, missing, err := c.Look(t.Context(), objectsOf(noted)); err != nil || len(missing) != len(noted)-1 {
			t.Errorf("%d of %d are gone: %v", len(missing), len(noted), err)
		}
	})
	if err := c.Delete(t.Context(), stranger.GVK(), stranger.Namespace, stranger.Name, deleteNow); err != nil {
		t.Fatal(err)
	}
	t.Run("again", func(t *testing.T) {
		out, err := Uninstall(deadline(t, time.Minute), c, noted, UninstallOptions{})
		if err != nil || out.Removed != 1 || len(out.Kept) > 0 {
			t.Errorf("removed %+v: %v", out, err)
		}
		exists(t, c, namespaceGVK, "", "capi-system")
	})
}

func objectsOf(refs []kube.Ref) []*unstructured.Unstructured {
	out := make([]*unstructured.Unstructured, len(refs))
	for i, r := range refs {
		out[i] = r.Object()
	}
	return out
}

// lagoonKind is a kind that the provider defines.
func lagoonKind(t *testing.T, c *kube.Client) schema.GroupVersionKind {
	t.Helper()
	kinds, err := c.Kinds(t.Context(), capi.GroupInfrastructure)
	if err != nil || len(kinds) == 0 {
		t.Fatalf("kinds %v: %v", kinds, err)
	}
	return kinds[0]
}

// createAs creates an object under another program's name.
func createAs(t *testing.T, env *testenv.Env, manager string, u *unstructured.Unstructured) {
	t.Helper()
	c, err := dynamic.NewForConfig(env.REST)
	if err != nil {
		t.Fatal(err)
	}
	plural, _ := meta.UnsafeGuessKindToResource(u.GroupVersionKind())
	if _, err := c.Resource(plural).Namespace(u.GetNamespace()).Create(t.Context(), u, metav1.CreateOptions{FieldManager: manager}); err != nil {
		t.Fatal(err)
	}
}

// TestUninstallLeases: leases outside of a provider's namespace, which its Role names, go with it, unless they are older.
func TestUninstallLeases(t *testing.T) {
	env := testenv.Start(t)
	c := connect(t, env, "uninstall-leases")
	lease := func(name string) *unstructured.Unstructured {
		return kube.Ref{Group: "coordination.k8s.io", Version: "v1", Kind: "Lease", Namespace: "kube-system", Name: name}.Object()
	}
	createAs(t, env, "earlier", lease("pond-before"))
	time.Sleep(time.Second) // the times of objects are whole seconds
	role := kube.Ref{Group: "rbac.authorization.k8s.io", Version: "v1", Kind: "Role", Namespace: "kube-system", Name: "pond-election"}
	applyText(t, c, `apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata: {name: pond-election, namespace: kube-system}
rules:
- {apiGroups: [coordination.k8s.io], resources: [leases], verbs: [get, update], resourceNames: [pond-leader, pond-before, pond-never]}
- {apiGroups: [""], resources: [leases], verbs: [get], resourceNames: [pond-other]}
`)
	for _, name := range []string{"pond-leader", "pond-other"} {
		createAs(t, env, "pond", lease(name))
	}
	out, err := Uninstall(deadline(t, time.Minute), c, []kube.Ref{role}, UninstallOptions{})
	if err != nil || out.Removed != 2 {
		t.Errorf("removed %+v: %v", out, err)
	}
	left, err := c.List(t.Context(), leaseGVK, kube.ListOptions{Namespace: "kube-system", MetadataOnly: true})
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, l := range left {
		if strings.HasPrefix(l.GetName(), "pond") {
			names = append(names, l.GetName())
		}
	}
	if !slices.Equal(names, []string{"pond-before", "pond-other"}) {
		t.Errorf("left %v", names)
	}
}
