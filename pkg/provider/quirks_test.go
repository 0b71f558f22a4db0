// SPDX-License-Identifier: Apache-2.0

package provider

import (
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/clusterctl/clusterctl/test/testenv"
)

// TestInstallQuirks installs components in all the shapes in which people have YAML: empty and commented documents, comments and tabs behind
// separators, Lists, JSON, line ends of Windows, a byte order mark. What arrives is the same each time.
func TestInstallQuirks(t *testing.T) {
	env := testenv.Start(t)
	look := connect(t, env, "look")
	plain := text(t, "quirks.yaml")
	for _, variant := range []struct{ name, text string }{
		{"as written", plain},
		{"line ends of Windows", strings.ReplaceAll(plain, "\n", "\r\n")},
		{"byte order mark", "\ufeff" + plain},
	} {
		t.Run(variant.name, func(t *testing.T) {
			cfg, _ := repo(t, variant.text, map[string]string{
				"cluster-api/v1.14.2/core-components.yaml": "apiVersion: v1\nkind: Namespace\nmetadata: {name: capi-system}\n",
			})
			comps, err := components(t, cfg, ComponentOptions{}, coreSpec(), lagoonSpec())
			if err != nil {
				t.Fatal(err)
			}
			res, err := Install(deadline(t, time.Minute), connect(t, env, agent), comps, InstallOptions{Config: cfg})
			if err != nil {
				t.Fatal(err)
			}
			if got := res.Providers[1]; got.Created+got.Configured+got.Same != 7 {
				t.Errorf("%d objects, want 7: %s", got.Created+got.Configured+got.Same, got)
			}
			configMap := schema.GroupVersionKind{Version: "v1", Kind: "ConfigMap"}
			for _, name := range []string{"lagoon-script", "lagoon-anchors", "lagoon-list-a", "lagoon-list-b", "lagoon-json"} {
				u := exists(t, look, configMap, "lagoon-system", name)
				if u.GetLabels()["cluster.x-k8s.io/provider"] != "infrastructure-lagoon" {
					t.Errorf("%s: labels %v", name, u.GetLabels())
				}
				if name == "lagoon-script" {
					data, _ := u.Object["data"].(map[string]any)
					if data["boot.sh"] != "echo one\n---\necho two\n" || data["note"] != "--- not a separator" {
						t.Errorf("script %q", data)
					}
				}
			}
			exists(t, look, schema.GroupVersionKind{Version: "v1", Kind: "ServiceAccount"}, "lagoon-system", "lagoon-manager")
			if err := look.Delete(t.Context(), configMap, "lagoon-system", "lagoon-json", metav1.DeleteOptions{}); err != nil { // made anew by the next one
				t.Fatal(err)
			}
		})
	}
}
