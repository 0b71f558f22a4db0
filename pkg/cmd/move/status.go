// SPDX-License-Identifier: Apache-2.0

package move

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/clusterctl/clusterctl/pkg/cmd/cmdutil"
	"github.com/clusterctl/clusterctl/pkg/move"
	"github.com/clusterctl/clusterctl/pkg/ui"
)

func newStatus(f *cmdutil.Factory) *cobra.Command {
	var flags cmdutil.KubeFlags
	var output ui.Format
	cmd := &cobra.Command{
		Use:   "status",
		Short: "Show the move that is under way on a management cluster",
		Long: `Show whether a move from or to a management cluster is under way: since when, from where to where, how far it
is, whether its process still runs, and whether it can be rolled back. Nothing is changed.`,
		Example: `  clusterctl move status
  clusterctl move status --kubeconfig target.kubeconfig -o json`,
		Args: cmdutil.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			c, _, err := f.Kube(cmd.Context(), flags)
			if err != nil {
				return err
			}
			if _, err := c.Ping(cmd.Context()); err != nil { // at once where nobody answers
				return err
			}
			s, err := move.InspectFrom(cmd.Context(), c, f.Mover().Host, cmdutil.Alive())
			if err != nil {
				return err
			}
			var list []move.Status
			if s != nil {
				list = append(list, *s)
			}
			return ui.Print(f.Streams, output, statusListing(list))
		},
	}
	flags.AddFlags(cmd, f)
	cmdutil.OutputVar(cmd, f, &output)
	return cmd
}

func statusListing(list []move.Status) ui.Listing[move.Status] {
	type col = ui.Column[move.Status]
	yesNo := func(b bool) string {
		if b {
			return "yes"
		}
		return "no"
	}
	return ui.Listing[move.Status]{
		Kind: "Move", Items: list, Empty: "No move is under way.",
		Name: func(s move.Status) string { return s.ID },
		Columns: []col{
			{Name: "ID", Value: func(s move.Status) string { return s.ID }},
			{Name: "PHASE", Value: func(s move.Status) string { return string(s.Phase) }},
			{Name: "RUNNING", Value: func(s move.Status) string { return yesNo(s.Running) }},
			{Name: "ROLLBACK", Value: func(s move.Status) string { return yesNo(s.CanRollBack) }},
			{Name: "OBJECTS", Value: func(s move.Status) string { return fmt.Sprint(s.Objects) }},
			{Name: "SCOPE", Value: func(s move.Status) string { return s.Scope }},
			{Name: "BEGUN", Value: func(s move.Status) string { return s.Started.Format("2006-01-02 15:04:05Z07:00") }},
			{Name: "BY", Value: func(s move.Status) string { return s.Latest.String() }},
			{Name: "FROM", Wide: true, Value: func(s move.Status) string { return s.Source.Host }},
			{Name: "TO", Wide: true, Value: func(s move.Status) string { return s.Target.Host }},
			{Name: "SNAPSHOT", Wide: true, Value: func(s move.Status) string { return s.Snapshot }},
		},
	}
}
