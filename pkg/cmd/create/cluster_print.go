// SPDX-License-Identifier: Apache-2.0

package create

import (
	"fmt"
	"io"
	"strings"

	"github.com/clusterctl/clusterctl/pkg/cmd/cmdutil"
	"github.com/clusterctl/clusterctl/pkg/event"
	"github.com/clusterctl/clusterctl/pkg/flow"
	"github.com/clusterctl/clusterctl/pkg/ui"
)

// printSummary writes what came out: lines for people, or one object.
func printSummary(f *cmdutil.Factory, format ui.Format, s *flow.Summary) error {
	if format != ui.Table {
		v, err := ui.Object("ClusterCreated", s)
		if err != nil {
			return err
		}
		return ui.PrintValue(f.Streams.Out, format, v)
	}
	rows := [][2]string{
		{"kubeconfig", s.Kubeconfig},
		{"API server", s.Endpoint},
		{"managed by", s.Bootstrap},
		{"its kubeconfig", s.ManagementKubeconfig},
	}
	var b strings.Builder
	fmt.Fprintf(&b, "\nCluster %s/%s is ready: Kubernetes %s, %s.\n\n", s.Namespace, s.Name, s.KubernetesVersion, event.Count(s.Machines, "machine"))
	for _, r := range rows {
		if r[1] != "" {
			fmt.Fprintf(&b, "  %-15s %s\n", r[0], r[1])
		}
	}
	for _, path := range s.Snapshots {
		fmt.Fprintf(&b, "  %-15s %s (objects before the pivot, Secrets in clear; delete cluster removes it)\n", "snapshot", path)
	}
	fmt.Fprintf(&b, "\n  use it          kubectl --kubeconfig %s get nodes\n", s.Kubeconfig)
	fmt.Fprintf(&b, "  delete it       %s delete cluster %s -n %s\n", f.Program, s.Name, s.Namespace)
	_, err := io.WriteString(f.Streams.Out, b.String())
	return err
}

// printPlan writes what a run would do.
func printPlan(streams ui.Streams, format ui.Format, p *flow.Plan) error {
	if format != ui.Table {
		v, err := ui.Object("Plan", p)
		if err != nil {
			return err
		}
		return ui.PrintValue(streams.Out, format, v)
	}
	rows := make([][]string, len(p.Steps))
	for i, s := range p.Steps {
		rows[i] = []string{s.Name, s.Does}
	}
	return ui.Grid(streams.Out, []string{"STEP", "WOULD"}, rows)
}
