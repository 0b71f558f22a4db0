// SPDX-License-Identifier: Apache-2.0

package image_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/clusterctl/clusterctl/pkg/bootstrap/local/internal/image"
)

func TestParseHelp(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		help string
		want image.Flags
	}{
		"pflag": {
			help: "Usage of manager:\n" +
				"      --diagnostics-address string   Where. See --insecure-diagnostics. (default \":8443\")\n" +
				"      --leader-elect                 Enable leader election\n" +
				"  -v, --v Level                      number for the log level verbosity (default 2)\n" +
				"      --feature-gates mapStringBool  Known features are:\n" +
				"                                     A=true|false (BETA - default=true)\n",
			want: image.Flags{"diagnostics-address": ":8443", "leader-elect": "", "v": "2", "feature-gates": ""},
		},
		"flag": {
			help: "Usage of /manager:\n" +
				"  -kubeconfig string\n    \tPaths to a kubeconfig.\n" +
				"  -webhook-cert-dir string\n    \tdir (default \"/tmp/k8s-webhook-server/serving-certs/\")\n" +
				"  -x\tshort\n",
			want: image.Flags{"kubeconfig": "", "webhook-cert-dir": "/tmp/k8s-webhook-server/serving-certs/", "x": ""},
		},
		"nothing": {help: "unknown command\n", want: image.Flags{}},
	} {
		if diff := cmp.Diff(tt.want, image.ParseHelp(tt.help)); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}
