// SPDX-License-Identifier: Apache-2.0

package provider

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/clusterctl/clusterctl/pkg/fault"
	"github.com/clusterctl/clusterctl/test/testenv"
)

// Objects come before what they need, and a webhook guards one of them that nothing ever answers.
func TestInstallUpsideDown(t *testing.T) {
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
