// SPDX-License-Identifier: Apache-2.0

package cmdutil

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/clusterctl/clusterctl/pkg/fault"
	"github.com/clusterctl/clusterctl/pkg/flow"
)

// CompleteRecords completes the names of clusters that runs on this host are known of.
func (f *Factory) CompleteRecords() cobra.CompletionFunc {
	return Complete(func(context.Context, *cobra.Command) ([]string, error) { return f.recordNames(""), nil })
}

// CompleteBootstraps completes the names of this host's bootstrap clusters.
func (f *Factory) CompleteBootstraps() cobra.CompletionFunc {
	return Complete(func(context.Context, *cobra.Command) ([]string, error) {
		dirs, err := f.Dirs()
		if err != nil {
			return nil, err
		}
		return flow.BootstrapNames(dirs)
	})
}

// recordNames lists the names in a namespace, in all for "". What can't be read is left out.
func (f *Factory) recordNames(namespace string) []string {
	dirs, err := f.Dirs()
	if err != nil {
		return nil
	}
	records, _ := flow.OpenRecords(dirs.State).List()
	var names []string
	for _, r := range records {
		if namespace == "" || r.Namespace == namespace {
			names = append(names, r.Name)
		}
	}
	return names
}

// Managed points flags that name no server to the management cluster that "create cluster" recorded for a name.
func (f *Factory) Managed(ctx context.Context, flags KubeFlags, name string) (KubeFlags, error) {
	dirs, err := f.Dirs()
	if err != nil {
		return flags, err
	}
	t, err := flow.Managed(ctx, flow.Target{Name: name, Namespace: flags.Namespace, Kubeconfig: flags.Kubeconfig, Context: flags.Context}, flow.Host{Dirs: dirs, Getenv: f.Getenv, Sink: f.View()})
	flags.Namespace, flags.Kubeconfig, flags.Context = t.Namespace, t.Kubeconfig, t.Context
	return flags, err
}

// CanConfirm says whether a person can be asked, for commands that have much to do before they ask.
func (f *Factory) CanConfirm() error {
	if f.Streams.CanPrompt() {
		return nil
	}
	return fault.WithHint(fault.Refusedf("this needs a confirmation, and there is no terminal to ask on"), "give --yes to go on without a question")
}
