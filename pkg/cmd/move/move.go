// SPDX-License-Identifier: Apache-2.0

// Package move is the command "move": flags to [move.Options] and one call.
package move

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"k8s.io/apimachinery/pkg/types"

	"github.com/clusterctl/clusterctl/pkg/cmd/cmdutil"
	"github.com/clusterctl/clusterctl/pkg/fault"
	"github.com/clusterctl/clusterctl/pkg/kube"
	"github.com/clusterctl/clusterctl/pkg/move"
	"github.com/clusterctl/clusterctl/pkg/move/plan"
	"github.com/clusterctl/clusterctl/pkg/ui"
)

// DefaultTimeout is the time that a move has for everything.
const DefaultTimeout = time.Hour

const long = `Move what Cluster API manages to another management cluster: everything, a namespace, or single clusters.

First everything is looked at, on both sides, and nothing is changed: what belongs together, whether the
target takes it, whether the rights are there. Then the source is made to stand still (its Clusters are paused
and its controllers scaled to 0), every object is copied with its status, and the copies are compared.
Only then objects are deleted on the source. At last the target goes on, and the source's controllers are
started again if they still have something to manage.

Stopped at any moment, the same command goes on; --rollback puts everything back as long as nothing was
deleted on the source. A person's own pause stays.

Without a terminal nothing is asked.`

const example = `  # what would be moved, what would stay, and why; changes nothing
  clusterctl move --to-kubeconfig target.kubeconfig --dry-run

  # everything: the pivot
  clusterctl move --to-kubeconfig target.kubeconfig

  # one namespace; two clusters
  clusterctl move -n team-a --to-kubeconfig target.kubeconfig
  clusterctl move heron team-b/egret -n team-a --to-kubeconfig target.kubeconfig

  # after a failure: look, go on, or go back
  clusterctl move status
  clusterctl move --resume --to-kubeconfig target.kubeconfig
  clusterctl move --rollback --to-kubeconfig target.kubeconfig

  # into files, and back
  clusterctl move --to-directory backup --encrypt-to age1…
  clusterctl move --from-directory backup --identity key.txt --to-kubeconfig new.kubeconfig`

// options are the flags.
type options struct {
	source, target   cmdutil.KubeFlags
	all              bool
	toDir, fromDir   string
	encryptTo        []string
	identity         string
	include, exclude []string
	orphans          []string
	provisioning     bool
	quiesce          move.Quiesce
	resume, rollback bool
	dryRun, yes      bool
	output           ui.Format
	timeout          time.Duration
	clusters         []string
	targetGiven      bool
}

// NewCommand makes the command with its subcommand.
func NewCommand(f *cmdutil.Factory) *cobra.Command {
	o := &options{}
	cmd := &cobra.Command{
		Use:     "move [CLUSTER...]",
		Short:   "Move clusters to another management cluster, or into files and back",
		Long:    long,
		Example: example,
		Args:    func(*cobra.Command, []string) error { return nil },
		RunE: func(cmd *cobra.Command, args []string) error {
			o.clusters = args
			return run(cmd.Context(), f, cmd, o)
		},
	}
	o.source.AddFlags(cmd, f)
	o.source.AddNamespace(cmd, f)
	cmd.Flags().Lookup("namespace").Usage = "move everything in a `NAMESPACE`; with names: that of the clusters (default: of the context)"
	fl := cmd.Flags()
	fl.BoolVarP(&o.all, "all-namespaces", "A", false, "move everything (what is done without -n and names)")
	fl.StringVar(&o.target.Kubeconfig, "to-kubeconfig", "", "kubeconfig `FILE` of the management cluster to move to")
	fl.StringVar(&o.target.Context, "to-kubeconfig-context", "", "`CONTEXT` of that kubeconfig (default: the current one)")
	fl.StringVar(&o.toDir, "to-directory", "", "write the objects into a `FOLDER` instead; nothing is changed on the source")
	fl.StringVar(&o.fromDir, "from-directory", "", "take the objects out of a `FOLDER` (a backup, or a snapshot of a move)")
	fl.StringArrayVar(&o.encryptTo, "encrypt-to", nil, "encrypt the Secrets in the folder for a `RECIPIENT`: an age or SSH public key, or a file with some (repeatable)")
	fl.StringVar(&o.identity, "identity", "", "`FILE` with the age or SSH private key that decrypts a folder's Secrets")
	fl.StringArrayVar(&o.include, "include", nil, "move these too: `KIND[/NAMESPACE][/NAME]` or a label selector (repeatable)")
	fl.StringArrayVar(&o.exclude, "exclude", nil, "leave these: `KIND[/NAMESPACE][/NAME]` or a label selector (repeatable)")
	fl.StringArrayVar(&o.orphans, "allow-orphans", nil, "move these though an owner of theirs can't come along: `KIND[/NAMESPACE][/NAME]` (repeatable)")
	fl.BoolVar(&o.provisioning, "allow-provisioning", false, "also move clusters that aren't provisioned yet")
	cmdutil.EnumVar(cmd, &o.quiesce, "quiesce", "", move.QuiesceScale, []move.Quiesce{move.QuiesceScale, move.QuiescePause}, "how the source is made to stand still: its controllers scaled to 0, or its clusters paused only")
	fl.BoolVar(&o.resume, "resume", false, "go on with the move that is under way, whatever it moves")
	fl.BoolVar(&o.rollback, "rollback", false, "undo the move that is under way")
	cmdutil.DryRunVar(fl, &o.dryRun)
	cmdutil.YesVar(fl, &o.yes)
	cmdutil.OutputVar(cmd, f, &o.output)
	cmdutil.TimeoutVar(fl, &o.timeout, DefaultTimeout)
	for _, name := range []string{"to-kubeconfig", "identity"} {
		_ = cmd.MarkFlagFilename(name)
	}
	for _, name := range []string{"to-directory", "from-directory"} {
		_ = cmd.MarkFlagDirname(name)
	}
	cmd.ValidArgsFunction = f.CompleteClusters(&o.source)
	cmd.AddCommand(newStatus(f))
	return cmd
}

// check finds all wrong combinations of flags.
func (o *options) check(cmd *cobra.Command) error {
	o.targetGiven = o.target.Kubeconfig != "" || o.target.Context != ""
	var faults fault.List
	wrong := func(cond bool, format string, args ...any) {
		if cond {
			faults.Add(cmdutil.WrongUsagef(cmd, format, args...))
		}
	}
	underWay := o.resume || o.rollback
	chosen := len(o.clusters) > 0 || o.source.Namespace != "" || o.all
	wrong(o.resume && o.rollback, "--resume and --rollback exclude each other")
	wrong(underWay && (chosen || len(o.include)+len(o.exclude)+len(o.orphans) > 0), "--resume and --rollback are about what the move that is under way moves: name nothing")
	wrong(underWay && o.dryRun, "--dry-run doesn't go with --resume and --rollback; \"move status\" looks")
	wrong(underWay && (o.toDir != "" || o.fromDir != ""), "--resume and --rollback are about moves between two clusters; a backup or a restore is just run again")
	wrong(o.toDir != "" && o.fromDir != "", "--to-directory and --from-directory exclude each other")
	wrong(o.toDir != "" && o.targetGiven, "--to-directory and --to-kubeconfig exclude each other")
	wrong(o.fromDir != "" && !o.targetGiven, "--from-directory needs --to-kubeconfig")
	wrong(o.fromDir != "" && (o.source.Kubeconfig != "" || o.source.Context != ""), "--from-directory has no source cluster: leave --kubeconfig out")
	wrong(o.fromDir != "" && chosen, "--from-directory takes everything in the folder")
	wrong(len(o.encryptTo) > 0 && o.toDir == "", "--encrypt-to goes with --to-directory")
	wrong(o.identity != "" && o.fromDir == "", "--identity goes with --from-directory")
	wrong(o.all && o.source.Namespace != "", "--all-namespaces and --namespace exclude each other")
	wrong(o.all && len(o.clusters) > 0, "--all-namespaces and names of clusters exclude each other")
	wrong(!o.targetGiven && o.toDir == "" && o.fromDir == "" && !o.dryRun, "where to? Give --to-kubeconfig or --to-directory")
	return faults.Err()
}

// scope is what the flags name; namespace is that of the context.
func (o *options) scope(namespace string) (plan.Scope, error) {
	s := plan.Scope{Include: o.include, Exclude: o.exclude, AllowOrphans: o.orphans}
	switch {
	case o.resume || o.rollback:
		return plan.Scope{}, nil
	case len(o.clusters) > 0:
		for _, name := range o.clusters {
			at := types.NamespacedName{Namespace: namespace, Name: name}
			if ns, rest, ok := strings.Cut(name, "/"); ok {
				at.Namespace, at.Name = ns, rest
			}
			if at.Name == "" || at.Namespace == "" || strings.Contains(at.Name, "/") {
				return s, fault.Usagef("%q isn't the name of a cluster: want NAME or NAMESPACE/NAME", name)
			}
			if !slices.Contains(s.Clusters, at) {
				s.Clusters = append(s.Clusters, at)
			}
		}
	case o.source.Namespace != "":
		s.Namespaces = []string{o.source.Namespace}
	default:
		s.All = true
	}
	return s, nil
}

// connect makes the clients of both sides; a side that the flags don't need is nil.
func (o *options) connect(ctx context.Context, f *cmdutil.Factory) (src, dst *kube.Client, namespace string, err error) {
	o.source.Unlimited, o.target.Unlimited = true, true
	if o.fromDir == "" {
		var cfg *kube.Config
		if src, cfg, err = f.Kube(ctx, o.source); err != nil {
			return nil, nil, "", err
		}
		namespace = cfg.Namespace
	}
	if o.targetGiven {
		if dst, _, err = f.Kube(ctx, o.target); err != nil {
			return nil, nil, "", err
		}
	}
	return src, dst, namespace, nil
}
