// SPDX-License-Identifier: Apache-2.0

package provider

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/clusterctl/clusterctl/pkg/fault"
	"github.com/clusterctl/clusterctl/pkg/kube"
	"github.com/clusterctl/clusterctl/test/testenv"
)

// installation is one cluster that the steps of TestInstall work on, in their order.
type installation struct {
	env   *testenv.Env
	look  *kube.Client
	hook  *webhook
	cfg   *Config
	comps []*Components
	opts  InstallOptions
	said  *notes
	first time.Duration
}

func TestInstall(t *testing.T) {
	i := &installation{env: testenv.Start(t), hook: newWebhook(t), said: &notes{}}
	i.look = connect(t, i.env, "look")
	playDeployments(t, connect(t, i.env, "player"))
	i.cfg, _ = repo(t, text(t, "lagoon.yaml"), map[string]string{
		"infrastructure-lagoon/v0.3.1-rc.1/infrastructure-components.yaml": text(t, "lagoon.yaml"),
		"infrastructure-lagoon/v0.3.1-rc.1/metadata.yaml":                  lagoonMetadata,
	})
	var err error
	if i.comps, err = components(t, i.cfg, ComponentOptions{}, lagoonSpec(), coreSpec()); err != nil {
		t.Fatal(err)
	}
	i.opts = InstallOptions{Prepare: i.hook.prepare, Sink: i.said, Config: i.cfg, Interval: time.Second}
	t.Run("first run", i.firstRun)
	t.Run("inventory", i.inventory)
	t.Run("check", i.check)
	t.Run("second run", i.secondRun)
	t.Run("repairs", i.repairs)
	t.Run("other version or namespace", i.others)
	t.Run("without inventory and labels", i.unlabelled)
}

func (i *installation) firstRun(t *testing.T) {
	c := connect(t, i.env, agent)
	began := time.Now()
	res, err := Install(deadline(t, time.Minute), c, i.comps, i.opts)
	if err != nil {
		t.Fatal(err)
	}
	i.first = time.Since(began)
	want := []ProviderResult{
		{Label: "cluster-api", Version: "v1.14.2", Namespace: "capi-system", Created: 9},
		{Label: "infrastructure-lagoon", Version: "v0.3.0", Namespace: "lagoon-system", Created: 5},
	}
	if d := cmp.Diff(want, res.Providers); d != "" {
		t.Errorf("result (-want +got):\n%s", d)
	}
	t.Logf("%v; %d objects; requests %s", i.first, len(res.Objects), c.Requests())
	// One write an object. Reads: at most as many again, and what the waits ask once a second.
	n := c.Requests()
	if n.ByVerb["apply"] != len(res.Objects) || n.Total-n.ByVerb["discovery"] > 2*len(res.Objects)+25 {
		t.Errorf("%d objects; requests %s", len(res.Objects), n)
	}
	if d := cmp.Diff([]string{"lagoon-quick"}, i.hook.stored()); d != "" {
		t.Errorf("objects that the webhook checked (-want +got):\n%s", d)
	}
	if !i.said.has("note: infrastructure-lagoon v0.3.0 in lagoon-system: 5 created") {
		t.Errorf("people hear: %v", i.said.lines)
	}
	for _, w := range i.env.Audit(t, agent) {
		if w.Code >= 400 {
			t.Errorf("turned down on the way: %s", w)
		}
	}
}

func (i *installation) inventory(t *testing.T) {
	e := exists(t, i.look, inventoryGVK(), "lagoon-system", "infrastructure-lagoon")
	for field, want := range map[string]string{"providerName": "lagoon", "type": "InfrastructureProvider", "version": "v0.3.0"} {
		if e.Object[field] != want {
			t.Errorf("%s is %v", field, e.Object[field])
		}
	}
	got, err := Installed(t.Context(), i.look)
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
}

func (i *installation) check(t *testing.T) {
	c := connect(t, i.env, "check")
	if err := Check(deadline(t, time.Minute), c, i.comps, i.opts); err != nil || c.Requests().Writes() != 0 {
		t.Errorf("%d writes, %v", c.Requests().Writes(), err)
	}
}

func (i *installation) secondRun(t *testing.T) {
	before := len(i.env.Writes(t, agent))
	c := connect(t, i.env, agent)
	began := time.Now()
	res, err := Install(deadline(t, time.Minute), c, i.comps, i.opts)
	took := time.Since(began)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%v, i.first %v; requests %s", took, i.first, c.Requests())
	if res.Changed() || res.Providers[1].Same != 5 {
		t.Errorf("result %+v", res.Providers)
	}
	for _, w := range i.env.Audit(t, agent)[before:] {
		if !w.DryRun {
			t.Errorf("write: %s", w)
		}
	}
}

func (i *installation) repairs(t *testing.T) {
	cm := schema.GroupVersionKind{Version: "v1", Kind: "ConfigMap"}
	if err := i.look.Delete(t.Context(), cm, "lagoon-system", "lagoon-settings", deleteNow); err != nil {
		t.Fatal(err)
	}
	res, err := Install(deadline(t, time.Minute), connect(t, i.env, agent), i.comps, i.opts)
	if err != nil || res.Providers[1].Created != 1 || res.Providers[1].Same != 4 {
		t.Errorf("result %+v, %v", res.Providers, err)
	}
	exists(t, i.look, cm, "lagoon-system", "lagoon-settings")
}

func (i *installation) others(t *testing.T) {
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
			other, err := components(t, i.cfg, ComponentOptions{TargetNamespace: tc.namespace}, tc.spec)
			if err != nil {
				t.Fatal(err)
			}
			c := connect(t, i.env, "refused")
			_, err = Install(deadline(t, time.Minute), c, other, i.opts)
			if fault.CodeOf(err) != fault.Refused || !strings.Contains(err.Error(), tc.fault) || !strings.Contains(strings.Join(fault.Hints(err), "\n"), tc.hint) {
				t.Errorf("error %v, hints %v", err, fault.Hints(err))
			}
			if n := c.Requests().Writes(); n != 0 {
				t.Errorf("%d writes", n)
			}
		})
	}
}

func (i *installation) unlabelled(t *testing.T) {
	for _, label := range []string{"cluster-api", "infrastructure-lagoon"} {
		ns := map[string]string{"cluster-api": "capi-system"}[label]
		if ns == "" {
			ns = "lagoon-system"
		}
		if err := i.look.Delete(t.Context(), inventoryGVK(), ns, label, deleteNow); err != nil {
			t.Fatal(err)
		}
	}
	d := exists(t, i.look, deploymentGVK(), "capi-system", "capi-controller-manager")
	d.SetLabels(nil)
	if _, err := i.look.Update(t.Context(), d); err != nil {
		t.Fatal(err)
	}
	got, err := Installed(t.Context(), i.look)
	if err != nil || len(got) != 2 || got[0].Source != "image" || got[0].Version != "v1.14.2" || got[1].Source != "deployment" || got[1].Version != "v0.3.0" {
		t.Errorf("installed %+v, %v", got, err)
	}
}
