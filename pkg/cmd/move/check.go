// SPDX-License-Identifier: Apache-2.0

package move

import (
	"errors"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"k8s.io/apimachinery/pkg/types"

	"github.com/clusterctl/clusterctl/pkg/cmd/cmdutil"
	"github.com/clusterctl/clusterctl/pkg/fault"
	"github.com/clusterctl/clusterctl/pkg/move/plan"
)

// between says whether this is a move between two clusters.
func (o *options) between() bool { return o.toDir == "" && o.fromDir == "" }

// targetGiven says whether a management cluster to move to is named. A context alone is one of the default kubeconfig.
func (o *options) targetGiven() bool { return o.target.Kubeconfig != "" || o.target.Context != "" }

// chosen says whether something is named that is to be moved.
func (o *options) chosen() bool { return len(o.clusters) > 0 || o.source.Namespace != "" || o.all }

// wrong collects what is wrong with the flags.
type wrong struct {
	cmd    *cobra.Command
	faults fault.List
}

func (w *wrong) when(cond bool, format string, args ...any) {
	if cond {
		w.faults.Add(fault.Usagef(format, args...))
	}
}

// check finds all wrong combinations of flags, before anything is asked of a server.
func (o *options) check(cmd *cobra.Command) error {
	w := &wrong{cmd: cmd}
	given := func(name string) bool { return cmd.Flags().Changed(name) }
	for _, name := range []string{"to-kubeconfig", "to-kubeconfig-context", "to-directory", "from-directory", "identity", "namespace"} {
		w.when(given(name) && cmd.Flags().Lookup(name).Value.String() == "", "--%s is empty", name)
	}
	o.checkWhere(w)
	o.checkWhat(w)
	o.checkUnderWay(w)
	w.when(len(o.encryptTo) > 0 && o.toDir == "", "--encrypt-to goes with --to-directory")
	w.when(o.identity != "" && o.fromDir == "", "--identity goes with --from-directory")
	w.when(given("quiesce") && !o.between(), "--quiesce is for moves between two clusters: a backup and a restore make nothing stand still")
	w.when(o.provisioning && !o.between(), "--allow-provisioning is for moves between two clusters")
	err := w.faults.Err()
	var list *fault.List
	if errors.As(err, &list) { // the usage line once, for all of them
		return fault.WithCode(fault.Usage, &cmdutil.UsageError{Err: list, Line: cmdutil.UsageLine(cmd)})
	}
	return cmdutil.WrongUsage(cmd, err)
}

func (o *options) checkWhere(w *wrong) {
	w.when(o.toDir != "" && o.fromDir != "", "--to-directory and --from-directory exclude each other")
	w.when(o.toDir != "" && o.targetGiven(), "--to-directory and --to-kubeconfig exclude each other")
	w.when(o.fromDir != "" && !o.targetGiven() && !o.dryRun, "--from-directory needs --to-kubeconfig")
	w.when(o.fromDir != "" && (o.source.Kubeconfig != "" || o.source.Context != ""), "--from-directory has no source cluster: leave --kubeconfig and --kubeconfig-context out")
	w.when(o.between() && !o.targetGiven() && !o.dryRun, "where to? Give --to-kubeconfig or --to-directory")
}

func (o *options) checkWhat(w *wrong) {
	w.when(o.all && o.source.Namespace != "", "--all-namespaces and --namespace exclude each other")
	w.when(o.all && len(o.clusters) > 0, "--all-namespaces and names of clusters exclude each other")
	w.when(o.fromDir != "" && o.chosen(), "--from-directory takes everything in the folder: no names, no namespaces; --exclude leaves something out")
	w.when(o.fromDir != "" && len(o.include) > 0, "--from-directory takes everything in the folder: --include has nothing to add")
	for _, name := range o.clusters {
		at := clusterName(name, "default")
		w.when(at.Name == "" || at.Namespace == "" || strings.Contains(at.Name, "/"), "%q isn't the name of a cluster: want NAME or NAMESPACE/NAME", name)
	}
}

// checkUnderWay is about --resume and --rollback, which need no more than to know between which two clusters.
func (o *options) checkUnderWay(w *wrong) {
	underWay := o.resume || o.rollback
	w.when(o.resume && o.rollback, "--resume and --rollback exclude each other")
	w.when(underWay && o.fromDir == "" && (o.chosen() || len(o.include)+len(o.exclude)+len(o.orphans) > 0), "--resume and --rollback are about what the move that is under way moves: name nothing")
	w.when(underWay && o.dryRun, "--dry-run doesn't go with --resume and --rollback; \"move status\" looks")
	w.when(o.toDir != "" && underWay, "a backup changes nothing: there is nothing to resume or roll back")
	w.when(o.fromDir != "" && o.resume, "a restore that was interrupted goes on without --resume: just run it again")
}

// clusterName reads NAME or NAMESPACE/NAME.
func clusterName(name, namespace string) types.NamespacedName {
	if ns, rest, ok := strings.Cut(name, "/"); ok {
		return types.NamespacedName{Namespace: ns, Name: rest}
	}
	return types.NamespacedName{Namespace: namespace, Name: name}
}

// scope is what the flags name; namespace is that of the flags or else of the context.
func (o *options) scope(namespace string) plan.Scope {
	s := plan.Scope{Include: o.include, Exclude: o.exclude, AllowOrphans: o.orphans}
	switch {
	case o.resume || o.rollback:
		return plan.Scope{}
	case len(o.clusters) > 0:
		for _, name := range o.clusters {
			if at := clusterName(name, namespace); !slices.Contains(s.Clusters, at) {
				s.Clusters = append(s.Clusters, at)
			}
		}
	case o.source.Namespace != "":
		s.Namespaces = []string{o.source.Namespace}
	default:
		s.All = true
	}
	return s
}
