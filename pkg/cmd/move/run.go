// SPDX-License-Identifier: Apache-2.0

package move

import (
	"context"
	"fmt"
	"path/filepath"
	"runtime/debug"

	"github.com/spf13/cobra"

	"github.com/clusterctl/clusterctl/pkg/cmd/cmdutil"
	"github.com/clusterctl/clusterctl/pkg/flow"
	"github.com/clusterctl/clusterctl/pkg/kube"
	"github.com/clusterctl/clusterctl/pkg/move"
	"github.com/clusterctl/clusterctl/pkg/move/plan"
)

const (
	// gcPercent is how much may be allocated, in percent of what is in use, before memory is collected.
	gcPercent = 40
	// softLimit is how many bytes are in use before memory is collected more often than that.
	softLimit = 480 << 20
)

func run(ctx context.Context, f *cmdutil.Factory, cmd *cobra.Command, o *options) error {
	// A move holds all its objects at once: what is freed meanwhile should not add up to as much again.
	debug.SetGCPercent(gcPercent)
	debug.SetMemoryLimit(softLimit)
	ctx, cancel := cmdutil.WithTimeout(ctx, o.timeout)
	defer cancel()
	src, dst, namespace, err := o.connect(ctx, f)
	if err != nil {
		return err
	}
	switch {
	case o.toDir != "":
		return runBackup(ctx, f, o, src, o.scope(namespace))
	case o.fromDir != "":
		return runRestore(ctx, f, cmd, o, dst)
	}
	dirs, err := f.Dirs()
	if err != nil {
		return err
	}
	mo := move.Options{
		Source: src, Target: dst, Scope: o.scope(namespace), Quiesce: o.quiesce, AllowProvisioning: o.provisioning,
		StateDir: filepath.Join(dirs.State, "moves"), By: f.Mover(), Alive: cmdutil.Alive(), Sink: f.View(),
		Confirm: func(ctx context.Context, p *plan.Plan) error { return confirm(ctx, f, o, p, "Move") },
	}
	if o.dryRun {
		p, err := move.Preview(ctx, mo)
		return printPlanAndFaults(f, o.output, p, err)
	}
	do, starts := move.Run, dst
	if o.rollback {
		do, starts = move.Rollback, src
	}
	why, err := reasons(ctx, f, cmd, starts)
	if err != nil {
		return err
	}
	mo.Sink = why.Sink(ctx)
	r, err := do(ctx, mo)
	if err != nil {
		return why.Explain(ctx, err)
	}
	return printReport(f, o.output, r, "moved")
}

// reasons are those of the side whose controllers are started: on a local bootstrap cluster only its processes can tell them.
func reasons(ctx context.Context, f *cmdutil.Factory, cmd *cobra.Command, starts *kube.Client) (flow.Reasons, error) {
	host, err := f.FlowHost(ctx, cmd, false)
	if err != nil {
		return flow.Reasons{}, err
	}
	return flow.ReasonsAt(host, starts.Host())
}

// connect makes the clients of both sides; a side that the flags don't need is nil. A move finds out itself how much a server takes.
func (o *options) connect(ctx context.Context, f *cmdutil.Factory) (src, dst *kube.Client, namespace string, err error) {
	o.source.Unlimited, o.target.Unlimited = true, true
	if o.fromDir == "" {
		var cfg *kube.Config
		if src, cfg, err = f.Kube(ctx, o.source); err != nil {
			return nil, nil, "", err
		}
		namespace = cfg.Namespace
	}
	if o.targetGiven() {
		if dst, _, err = f.Kube(ctx, o.target); err != nil {
			return nil, nil, "", err
		}
	}
	return src, dst, namespace, nil
}

// confirm shows on a terminal what will be done, and asks. In a pipe it goes ahead: whoever wrote the script has decided.
func confirm(ctx context.Context, f *cmdutil.Factory, o *options, p *plan.Plan, verb string) error {
	if o.yes || f.CanConfirm() != nil {
		return nil //nolint:nilerr // nobody there to ask
	}
	tellTotals(f, p)
	return f.Confirm(ctx, false, fmt.Sprintf("%s these %d objects?", verb, len(p.Objects)))
}
