// SPDX-License-Identifier: Apache-2.0

package provider

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

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
	if err := c.Delete(t.Context(), kind, "default", "somebodys", deleteNow); err != nil {
		t.Fatal(err)
	}
	t.Run("never a Cluster", func(t *testing.T) {
		ref := kube.Ref{Group: capi.GroupCore, Version: "v1beta2", Kind: "Cluster", Namespace: "default", Name: "heron"}
		if _, err := Uninstall(deadline(t, time.Minute), c, []kube.Ref{ref}, UninstallOptions{}); fault.CodeOf(err) != fault.Refused {
			t.Errorf("error %v", err)
		}
	})

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
