// SPDX-License-Identifier: Apache-2.0

package move

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/clusterctl/clusterctl/pkg/cmd/cmdutil"
	"github.com/clusterctl/clusterctl/pkg/kube"
	"github.com/clusterctl/clusterctl/pkg/kubeconfig"
	"github.com/clusterctl/clusterctl/pkg/move"
	"github.com/clusterctl/clusterctl/pkg/move/plan"
)

func runBackup(ctx context.Context, f *cmdutil.Factory, o *options, src *kube.Client, scope plan.Scope) error {
	recipients, err := kubeconfig.Recipients(o.encryptTo)
	if err != nil {
		return err
	}
	bo := move.BackupOptions{Source: src, Scope: scope, Dir: o.toDir, Sink: f.View()}
	if len(recipients) > 0 {
		bo.Encrypt = func(data []byte) ([]byte, error) { return kubeconfig.Encrypt(data, recipients) }
	}
	if o.dryRun {
		p, err := move.PlanBackup(ctx, bo)
		return printPlanAndFaults(f, o.output, p, err)
	}
	r, err := move.Backup(ctx, bo)
	if err != nil {
		return err
	}
	return printReport(f, o.output, r, "written to "+o.toDir)
}

func runRestore(ctx context.Context, f *cmdutil.Factory, cmd *cobra.Command, o *options, dst *kube.Client) error {
	ro := move.RestoreOptions{
		Target: dst, Dir: o.fromDir, Exclude: o.exclude, AllowOrphans: o.orphans, By: f.Mover(), Alive: cmdutil.Alive(), Sink: f.View(),
		Confirm: func(ctx context.Context, p *plan.Plan) error { return confirm(ctx, f, o, p, "Restore") },
	}
	if o.identity != "" {
		identities, err := cmdutil.ReadIdentities(o.identity)
		if err != nil {
			return err
		}
		ro.Decrypt = func(data []byte) ([]byte, error) { return cmdutil.Decrypt(data, identities) }
	}
	if o.dryRun {
		p, err := move.PreviewRestore(ctx, ro)
		return printPlanAndFaults(f, o.output, p, err)
	}
	do := move.Restore
	if o.rollback {
		do = move.RollbackRestore
	}
	why, err := reasons(ctx, f, cmd, dst)
	if err != nil {
		return err
	}
	ro.Sink = why.Sink(ctx)
	r, err := do(ctx, ro)
	if err != nil {
		return why.Explain(ctx, err)
	}
	return printReport(f, o.output, r, "restored from "+o.fromDir)
}
