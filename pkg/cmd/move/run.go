// SPDX-License-Identifier: Apache-2.0

package move

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime/debug"

	"github.com/clusterctl/clusterctl/pkg/cmd/cmdutil"
	"github.com/clusterctl/clusterctl/pkg/kube"
	"github.com/clusterctl/clusterctl/pkg/move"
	"github.com/clusterctl/clusterctl/pkg/move/plan"
)

// gcPercent is how much may be allocated, in percent of what is in use, before memory is collected.
const gcPercent = 40

func run(ctx context.Context, f *cmdutil.Factory, o *options) error {
	// A move holds all its objects at once: what is freed meanwhile should not add up to as much again.
	debug.SetGCPercent(gcPercent)
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
		return runRestore(ctx, f, o, dst)
	}
	dirs, err := f.Dirs()
	if err != nil {
		return err
	}
	mo := move.Options{
		Source: src, Target: dst, Scope: o.scope(namespace), Quiesce: o.quiesce, AllowProvisioning: o.provisioning,
		StateDir: filepath.Join(dirs.State, "moves"), By: me(f), Alive: alive(), Sink: f.View(),
		Confirm: func(ctx context.Context, p *plan.Plan) error { return confirm(ctx, f, o, p, "Move") },
	}
	if o.dryRun {
		p, err := move.Preview(ctx, mo)
		return printPlanAndFaults(f, o.output, p, err)
	}
	do := move.Run
	if o.rollback {
		do = move.Rollback
	}
	r, err := do(ctx, mo)
	if err != nil {
		return err
	}
	return printReport(f, o.output, r, "moved")
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

// me is this process, for whoever meets its lease.
func me(f *cmdutil.Factory) move.Identity {
	host, err := os.Hostname()
	if err != nil {
		host = "unknown"
	}
	user := f.Getenv("USER")
	if user == "" {
		user = fmt.Sprintf("user %d", os.Getuid())
	}
	return move.Identity{User: user, Host: host, PID: os.Getpid()}
}

// confirm shows on a terminal what will be done, and asks. In a pipe it goes ahead: whoever wrote the script has decided.
func confirm(ctx context.Context, f *cmdutil.Factory, o *options, p *plan.Plan, verb string) error {
	if o.yes || f.CanConfirm() != nil {
		return nil
	}
	tellTotals(f, p)
	return f.Confirm(ctx, false, fmt.Sprintf("%s these %d objects?", verb, len(p.Objects)))
}
