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
