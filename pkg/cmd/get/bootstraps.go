// SPDX-License-Identifier: Apache-2.0

package get

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/clusterctl/clusterctl/pkg/bootstrap"
	"github.com/clusterctl/clusterctl/pkg/cmd/cmdutil"
	"github.com/clusterctl/clusterctl/pkg/fault"
	"github.com/clusterctl/clusterctl/pkg/flow"
	"github.com/clusterctl/clusterctl/pkg/ui"
)

func newBootstraps(f *cmdutil.Factory) *cobra.Command {
	var output ui.Format
	cmd := &cobra.Command{
		Use:     "bootstraps [NAME]",
		Aliases: []string{"bootstrap"},
		Short:   "List the bootstrap clusters on this host",
		Long: `List the bootstrap clusters of this user on this host, local ones and kind ones that this program made: what they run,
where their API server listens and where their kubeconfig and state are (-o wide). Nothing is started or changed.`,
		Example: `  clusterctl get bootstraps
  clusterctl get bootstraps lab -o json`,
		Args:              cmdutil.OptionalArgs("NAME"),
		ValidArgsFunction: f.CompleteBootstraps(),
		RunE: func(cmd *cobra.Command, args []string) error {
			dirs, err := f.Dirs()
			if err != nil {
				return err
			}
			infos, err := flow.ListBootstraps(cmd.Context(), dirs, f.Getenv)
			if err != nil {
				return err
			}
			if len(args) > 0 {
				infos = slices.DeleteFunc(infos, func(i bootstrap.Info) bool { return i.Name != args[0] })
				if len(infos) == 0 {
					return fault.WithHint(fmt.Errorf("there is no bootstrap cluster %q on this host", args[0]), "list those that there are: %s get bootstraps", f.Program)
				}
			}
			return ui.Print(f.Streams, output, bootstrapListing(infos, time.Now()))
		},
	}
	cmdutil.OutputVar(cmd, f, &output)
	return cmd
}

func bootstrapListing(infos []bootstrap.Info, now time.Time) ui.Listing[bootstrap.Info] {
	type col = ui.Column[bootstrap.Info]
	return ui.Listing[bootstrap.Info]{
		Kind: "Bootstrap", Items: infos, Empty: "No bootstrap clusters on this host.",
		Name: func(i bootstrap.Info) string { return i.Name },
		Columns: []col{
			{Name: "NAME", Value: func(i bootstrap.Info) string { return i.Name }},
			{Name: "TYPE", Value: func(i bootstrap.Info) string { return string(i.Type) }},
			{Name: "STATE", Value: func(i bootstrap.Info) string { return string(i.State) }},
			{Name: "VERSION", Value: func(i bootstrap.Info) string { return i.KubernetesVersion }},
			{Name: "PROVIDERS", Value: func(i bootstrap.Info) string { return strconv.Itoa(len(i.Providers)) }},
			{Name: "AGE", Value: func(i bootstrap.Info) string { return ageOf(i.Created, now) }},
			{Name: "DETAIL", Value: func(i bootstrap.Info) string { return i.Detail }},
			{Name: "NODES", Wide: true, Value: func(i bootstrap.Info) string { return strings.Join(i.Nodes, ",") }},
			{Name: "ENDPOINT", Wide: true, Value: func(i bootstrap.Info) string { return i.Endpoint }},
			{Name: "CONTROLLERS", Wide: true, Value: func(i bootstrap.Info) string { return strings.Join(i.Providers, ",") }},
			{Name: "KUBECONFIG", Wide: true, Value: func(i bootstrap.Info) string { return i.Kubeconfig }},
		},
	}
}

func ageOf(since, now time.Time) string {
	if since.IsZero() {
		return ""
	}
	switch d := now.Sub(since); {
	case d < 2*time.Minute:
		return fmt.Sprintf("%ds", int(d.Seconds()))
	case d < 2*time.Hour:
		return fmt.Sprintf("%dm", int(d.Minutes()))
	case d < 48*time.Hour:
		return fmt.Sprintf("%dh", int(d.Hours()))
	default:
		return fmt.Sprintf("%dd", int(d.Hours()/24))
	}
}
