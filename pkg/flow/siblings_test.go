// SPDX-License-Identifier: Apache-2.0

package flow

import (
	"strings"
	"testing"

	"github.com/clusterctl/clusterctl/pkg/bootstrap"
	"github.com/clusterctl/clusterctl/pkg/fault"
	"github.com/clusterctl/clusterctl/pkg/provider"
)

func TestSiblingsShareABootstrapCluster(t *testing.T) {
	t.Parallel()
	records := OpenRecords(t.TempDir())
	for _, r := range []*Record{
		{Name: "heron", Namespace: "team-a", Bootstrap: BootstrapRecord{Type: bootstrap.Local, Name: "pond"}},
		{Name: "heron", Namespace: "team-b", Bootstrap: BootstrapRecord{Type: bootstrap.Local, Name: "pond"}},
		{Name: "egret", Namespace: "team-a", Bootstrap: BootstrapRecord{Type: bootstrap.Local, Name: "lake"}},
		{Name: "stork", Namespace: "team-a", Bootstrap: BootstrapRecord{Type: bootstrap.Existing}},
	} {
		if err := records.Save(r); err != nil {
			t.Fatal(err)
		}
	}
	heron, err := records.Load("team-a", "heron")
	if err != nil {
		t.Fatal(err)
	}
	got, err := siblings(records, heron)
	if err != nil || len(got) != 1 || got[0].Namespace != "team-b" {
		t.Errorf("siblings %v, error %v, want that in team-b alone", got, err)
	}
}

func TestValuesOfSetAreAskedForAgain(t *testing.T) {
	t.Parallel()
	config, _, err := provider.LoadConfig(t.Context(), provider.LoadOptions{Getenv: func(string) string { return "" }})
	if err != nil {
		t.Fatal(err)
	}
	c := &Create{host: Host{Config: config}, record: &Record{Name: "heron", Namespace: "team-a", Variables: []string{"REGION", "SIZE"}}}
	c.opts.Set = map[string]string{"SIZE": "1"}
	err = c.checkVariables()
	if fault.CodeOf(err) != fault.Usage || !strings.Contains(err.Error(), "REGION") || strings.Contains(err.Error(), "SIZE") {
		t.Errorf("without REGION: %v", err)
	}
	c.opts.Set["REGION"] = "north"
	if err := c.checkVariables(); err != nil {
		t.Errorf("with both: %v", err)
	}
}

func TestSiblingsShareAnExistingCluster(t *testing.T) {
	t.Parallel()
	at := func(kubeconfig, context, uid string) BootstrapRecord {
		return BootstrapRecord{Type: bootstrap.Existing, Kubeconfig: kubeconfig, Context: context, UID: uid}
	}
	for name, tt := range map[string]struct {
		a, b BootstrapRecord
		want bool
	}{
		"one cluster, two files":           {at("/a", "x", "1"), at("/b", "y", "1"), true},
		"one file, two clusters":           {at("/a", "x", "1"), at("/a", "x", "2"), false},
		"an older record":                  {at("/a", "x", "1"), at("/a", "", ""), true},
		"an older record, another context": {at("/a", "x", "1"), at("/a", "y", ""), false},
		"two older records":                {at("/a", "x", ""), at("/a", "", ""), false},
	} {
		records := OpenRecords(t.TempDir())
		heron := &Record{Name: "heron", Namespace: "default", Bootstrap: tt.a}
		for _, r := range []*Record{heron, {Name: "egret", Namespace: "default", Bootstrap: tt.b}} {
			if err := records.Save(r); err != nil {
				t.Fatal(err)
			}
		}
		if got, err := siblings(records, heron); err != nil || (len(got) == 1) != tt.want {
			t.Errorf("%s: %d, %v", name, len(got), err)
		}
	}
}
