// SPDX-License-Identifier: Apache-2.0

package move

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"

	"github.com/spf13/cobra"

	"github.com/clusterctl/clusterctl/pkg/cmd/cmdutil"
	"github.com/clusterctl/clusterctl/pkg/event"
	"github.com/clusterctl/clusterctl/pkg/move"
	"github.com/clusterctl/clusterctl/pkg/move/plan"
)

// gcPercent is how much may be allocated, in percent of what is in use, before memory is collected.
const gcPercent = 40

func run(ctx context.Context, f *cmdutil.Factory, cmd *cobra.Command, o *options) error {
	if err := o.check(cmd); err != nil {
		return err
	}
	// A move holds all its objects at once: what is freed meanwhile should not add up to as much again.
	debug.SetGCPercent(gcPercent)
	ctx, cancel := cmdutil.WithTimeout(ctx, o.timeout)
	defer cancel()
	src, dst, namespace, err := o.connect(ctx, f)
	if err != nil {
		return err
	}
	scope, err := o.scope(namespace)
	if err != nil {
		return err
	}
	switch {
	case o.toDir != "":
		return runBackup(ctx, f, o, src, scope)
	case o.fromDir != "":
		return runRestore(ctx, f, o, dst)
	}
	dirs, err := f.Dirs()
	if err != nil {
		return err
	}
	mo := move.Options{
		Source: src, Target: dst, Scope: scope, Quiesce: o.quiesce, AllowProvisioning: o.provisioning,
		StateDir: filepath.Join(dirs.State, "moves"), By: me(f), Alive: alive(), Sink: f.View(),
	}
	if o.dryRun {
		return runPreview(ctx, f, o, mo)
	}
	mo.Confirm = func(ctx context.Context, p *plan.Plan) error { return confirm(ctx, f, o, p) }
	var r *move.Report
	if o.rollback {
		r, err = move.Rollback(ctx, mo)
	} else {
		r, err = move.Run(ctx, mo)
	}
	if err != nil {
		return err
	}
	return printReport(f, o.output, r)
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

// confirm shows on a terminal what will be moved, and asks. In a pipe it goes ahead: whoever wrote the script has decided.
func confirm(ctx context.Context, f *cmdutil.Factory, o *options, p *plan.Plan) error {
	if o.yes || f.CanConfirm() != nil {
		return nil
	}
	event.Notef(f.View(), "%s", totals(p))
	return f.Confirm(ctx, false, fmt.Sprintf("Move these %d objects?", len(p.Objects)))
}

// totals are the plan in a few lines.
func totals(p *plan.Plan) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%d clusters, %d objects in %d namespaces:", len(p.Clusters()), len(p.Objects), len(p.Namespaces))
	for _, k := range p.Summary() {
		fmt.Fprintf(&b, " %d %s", k.Moved+k.Copied, k.Kind)
	}
	if n := len(p.Left); n > 0 {
		fmt.Fprintf(&b, "; %d objects stay behind (--dry-run lists them)", n)
	}
	if n := len(p.Remaining); n > 0 {
		fmt.Fprintf(&b, "; %d clusters go on being managed by the source", n)
	}
	return b.String()
}

func runPreview(ctx context.Context, f *cmdutil.Factory, o *options, mo move.Options) error {
	p, err := move.Preview(ctx, mo)
	if p == nil {
		return err
	}
	if printErr := printPlan(f, o.output, p); printErr != nil {
		return printErr
	}
	return err
}
