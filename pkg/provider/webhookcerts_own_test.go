// SPDX-License-Identifier: Apache-2.0

package provider

import (
	"strings"
	"testing"
	"time"

	"github.com/clusterctl/clusterctl/test/testenv"
)

// TestOwnCerts: who can say, without asking a cert-manager, that certificates will be our own needs no nodes for one.
func TestOwnCerts(t *testing.T) {
	env := testenv.Start(t)
	c := connect(t, env, agent)
	load := func(yaml string) []*Components {
		t.Helper()
		cfg, _ := repo(t, yaml, nil)
		comps, err := components(t, cfg, ComponentOptions{}, coreSpec(), lagoonSpec())
		if err != nil {
			t.Fatal(err)
		}
		return comps
	}
	certs := strings.Replace(lagoonCerts, "PORT", "9443", 1)
	webhooks := load(text(t, "lagoon.yaml") + certs)
	plain := load(text(t, "lagoon.yaml"))
	more := load(text(t, "lagoon.yaml") + certs + "---\napiVersion: cert-manager.io/v1\nkind: ClusterIssuer\nmetadata: {name: everybody}\nspec: {selfSigned: {}}\n")

	check := func(name string, comps []*Components, source WebhookCerts, want bool) {
		t.Helper()
		if own, err := OwnCerts(deadline(t, time.Minute), c, comps, source); err != nil || own != want {
			t.Errorf("%s, %s: %v, %v; want %v", name, source, own, err, want)
		}
	}
	check("webhooks", webhooks, BuiltinCerts, true)
	check("webhooks", webhooks, CertManagerCerts, false)
	check("webhooks, no cert-manager", webhooks, AutoCerts, true)
	check("more than webhooks", more, AutoCerts, false)
	check("nothing", plain, CertManagerCerts, true)
	applyText(t, c, certManagerCRDs)
	c.Invalidate()
	check("webhooks, and a cert-manager that may come up", webhooks, AutoCerts, false)
	check("nothing, and a cert-manager that may come up", plain, AutoCerts, true)
}
