// SPDX-License-Identifier: Apache-2.0

// Package move is the command "move": flags to [move.Options] and one call.
package move

import (
	"context"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/clusterctl/clusterctl/pkg/cmd/cmdutil"
	"github.com/clusterctl/clusterctl/pkg/kube"
	"github.com/clusterctl/clusterctl/pkg/move"
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

--to-directory writes the objects into files instead: nothing is paused, nothing is changed. --from-directory
creates them from files: of such a backup, of upstream's "move --to-directory", or of a move's snapshot.

On a terminal you are asked after all checks; without one nothing is asked.`

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

  # into files, Secrets encrypted for an age or SSH key, and back
  clusterctl move --to-directory backup --encrypt-to ~/.ssh/id_ed25519.pub
  clusterctl move --from-directory backup --identity ~/.ssh/id_ed25519 --to-kubeconfig new.kubeconfig`

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
}

// NewCommand makes the command with its subcommand.
func NewCommand(f *cmdutil.Factory) *cobra.Command {
	o := &options{}
	cmd := &cobra.Command{
		Use:     "move [CLUSTER...]",
		Short:   "Move clusters to another management cluster, or into files and back",
		Long:    long,
		Example: example,
		Args:    cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			o.clusters = args
			if err := o.check(cmd); err != nil {
				return err
			}
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
	fl.StringVar(&o.toDir, "to-directory", "", "write the objects into a `FOLDER` instead; nothing is changed on the source. An earlier backup there is replaced")
	fl.StringVar(&o.fromDir, "from-directory", "", "take the objects out of a `FOLDER`: a backup, upstream's, or a move's snapshot (also a .jsonl file)")
	fl.StringArrayVar(&o.encryptTo, "encrypt-to", nil, "encrypt the Secrets in the folder for a `RECIPIENT`: an age or SSH public key, or a file with some (repeatable)")
	fl.StringVar(&o.identity, "identity", "", "`FILE` with the age or SSH private key that decrypts a folder's Secrets")
	fl.StringArrayVar(&o.include, "include", nil, "move these too: `KIND[/NAMESPACE][/NAME]` or a label selector (repeatable)")
	fl.StringArrayVar(&o.exclude, "exclude", nil, "leave these: `KIND[/NAMESPACE][/NAME]` or a label selector (repeatable)")
	fl.StringArrayVar(&o.orphans, "allow-orphans", nil, "move these though an owner of theirs can't come along: `KIND[/NAMESPACE][/NAME]` (repeatable)")
	fl.BoolVar(&o.provisioning, "allow-provisioning", false, "also move clusters that aren't provisioned yet")
	cmdutil.EnumVar(cmd, &o.quiesce, "quiesce", "", move.QuiesceScale, []move.Quiesce{move.QuiesceScale, move.QuiescePause}, "how the source is made to stand still: its controllers scaled to 0, or its clusters paused only")
	fl.BoolVar(&o.resume, "resume", false, "go on with the move that is under way, whatever it moves")
	fl.BoolVar(&o.rollback, "rollback", false, "undo the move that is under way; beside --from-directory: the restore")
	cmdutil.DryRunVar(fl, &o.dryRun)
	cmdutil.YesVar(fl, &o.yes)
	cmdutil.OutputVar(cmd, f, &o.output)
	cmdutil.TimeoutVar(fl, &o.timeout, DefaultTimeout)
	for _, name := range []string{"to-kubeconfig", "identity", "encrypt-to", "from-directory"} {
		_ = cmd.MarkFlagFilename(name)
	}
	_ = cmd.MarkFlagDirname("to-directory")
	_ = cmd.RegisterFlagCompletionFunc("to-kubeconfig-context", cmdutil.CompleteFlag(func(context.Context, *cobra.Command) ([]string, error) {
		return kube.Contexts(kube.ConfigSource{Path: o.target.Kubeconfig, Getenv: f.Getenv})
	}))
	for _, name := range []string{"include", "exclude", "allow-orphans"} {
		_ = cmd.RegisterFlagCompletionFunc(name, cobra.NoFileCompletions)
	}
	cmd.ValidArgsFunction = completeMore(f.CompleteClusters(&o.source))
	cmd.AddCommand(newStatus(f))
	return cmd
}

// completeMore completes every argument, not only the first, and none that is there already.
func completeMore(one cobra.CompletionFunc) cobra.CompletionFunc {
	return func(cmd *cobra.Command, args []string, word string) ([]string, cobra.ShellCompDirective) {
		names, directive := one(cmd, nil, word)
		return slices.DeleteFunc(names, func(n string) bool { return slices.Contains(args, n) }), directive
	}
}
