// SPDX-License-Identifier: Apache-2.0

package flow

import (
	"strings"
	"testing"

	"github.com/clusterctl/clusterctl/pkg/bootstrap"
)

// TestWantsPivot says when a cluster is moved into itself.
func TestWantsPivot(t *testing.T) {
	t.Parallel()
	yes, no := true, false
	for name, tt := range map[string]struct {
		record   Record
		cantHold string
		want     string // empty: it is; else what the reason says
	}{
		"a bootstrap cluster of ours":       {record: Record{Bootstrap: BootstrapRecord{Type: bootstrap.Kind}}},
		"a simulated cluster":               {record: Record{Bootstrap: BootstrapRecord{Type: bootstrap.Local}}, cantHold: "it serves no CRDs", want: "it serves no CRDs"},
		"asked for, whatever it can":        {record: Record{Inputs: Inputs{Pivot: &yes}, Bootstrap: BootstrapRecord{Type: bootstrap.Existing}}, cantHold: "x"},
		"not wanted":                        {record: Record{Inputs: Inputs{Pivot: &no}, Bootstrap: BootstrapRecord{Type: bootstrap.Kind}}, want: "--pivot=false"},
		"on somebody's management cluster":  {record: Record{Bootstrap: BootstrapRecord{Type: bootstrap.Existing}}, want: "not asked for"},
		"providers from a file, as of v0.2": {record: Record{Inputs: Inputs{ProviderComponents: "p.yaml"}, Bootstrap: BootstrapRecord{Type: bootstrap.Local}}, want: "come from a file"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := &Create{record: &tt.record, cantHold: tt.cantHold}
			want, why := c.wantsPivot()
			if want != (tt.want == "") || !strings.Contains(why, tt.want) {
				t.Errorf("%v, %q", want, why)
			}
		})
	}
}

// TestSkippedWhilePivoting says that nothing touches a bootstrap cluster whose controllers stand still, and that none is brought back
// which may be half deleted.
func TestSkippedWhilePivoting(t *testing.T) {
	t.Parallel()
	runs := func(state PivotState) string {
		c := &Create{record: &Record{Pivot: state, Inputs: Inputs{AddonFiles: []string{"cni.yaml"}}, Bootstrap: BootstrapRecord{Type: bootstrap.Kind}}}
		var out []string
		for _, s := range c.steps() {
			if s.Skip == nil || s.Skip() == "" {
				out = append(out, s.Name)
			}
		}
		return strings.Join(out, " ")
	}
	for state, want := range map[PivotState]string{
		Pivoting:    "bootstrap pivot-providers pivot pivot-bootstrap summary",
		Pivoted:     "pivot-bootstrap summary",
		SelfManaged: "preflight bootstrap cluster wait-infrastructure wait-control-plane kubeconfig addons wait-nodes wait-available summary",
	} {
		if got := runs(state); got != want {
			t.Errorf("%s: runs %s, want %s", state, got, want)
		}
	}
}

func TestSameAddress(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		endpoint, server string
		want             bool
	}{
		{"10.0.0.1:6443", "https://10.0.0.1:6443", true},
		{"api.example.com:443", "https://api.example.com", true},
		{"[fd00::1]:6443", "https://[fd00::1]:6443", true},
		{"10.0.0.1:6443", "https://10.0.0.2:6443", false},
		{"10.0.0.1:6443", "https://10.0.0.1:6444", false},
		{"", "https://10.0.0.1", false},
	} {
		if got := sameAddress(tt.endpoint, tt.server); got != tt.want {
			t.Errorf("%s and %s: %v", tt.endpoint, tt.server, got)
		}
	}
}
