// SPDX-License-Identifier: Apache-2.0

package get

import (
	"context"
	"log/slog"
	"time"

	"github.com/spf13/cobra"

	"github.com/clusterctl/clusterctl/pkg/cmd/cmdutil"
	"github.com/clusterctl/clusterctl/pkg/event"
	"github.com/clusterctl/clusterctl/pkg/fault"
	"github.com/clusterctl/clusterctl/pkg/kubeconfig"
	"github.com/clusterctl/clusterctl/pkg/ui"
)

// stdout is the --output that means standard output.
const stdout = "-"

// check refuses what can't be meant, before anything is asked of a server.
func (o *kubeconfigOptions) check(cmd *cobra.Command) error {
	given := cmd.Flags().Changed
	switch {
	case o.merge && given("output") && o.output == stdout:
		return cmdutil.WrongUsagef(cmd, "--merge needs a file, --output - is standard output")
	case o.merge && len(o.encryptTo) > 0:
		return cmdutil.WrongUsagef(cmd, "--merge and --encrypt-to exclude each other")
	case o.setCurrent && !o.merge:
		return cmdutil.WrongUsagef(cmd, "--set-current goes with --merge only")
	case o.force && !o.merge:
		return cmdutil.WrongUsagef(cmd, "--force goes with --merge only")
	case given("context-name") && o.rewrite.ContextName == "":
		return cmdutil.WrongUsagef(cmd, "--context-name is empty")
	case given("server") && o.rewrite.Server == "":
		return cmdutil.WrongUsagef(cmd, "--server is empty")
	case given("output") && isFormat(o.output):
		return cmdutil.WrongUsage(cmd, fault.WithHint(fault.Usagef("--output is a file here, not a format"), "to name a file %s write ./%s", o.output, o.output))
	}
	if o.rewrite.Server != "" {
		return cmdutil.WrongUsage(cmd, kubeconfig.CheckServer(o.rewrite.Server))
	}
	return nil
}

// isFormat recognises what -o means at other commands.
func isFormat(output string) bool {
	for _, format := range ui.Formats() {
		if output == string(format) {
			return true
		}
	}
	return false
}

func fetchKubeconfig(ctx context.Context, f *cmdutil.Factory, o *kubeconfigOptions) (*kubeconfig.Kubeconfig, error) {
	at, err := f.Managed(ctx, o.kube, o.name)
	if err != nil {
		return nil, err
	}
	c, config, err := f.Kube(ctx, at)
	if err != nil {
		return nil, err
	}
	o.fetch.Name, o.fetch.Namespace, o.fetch.Sink = o.name, config.Namespace, f.View()
	if !o.fetch.Wait {
		return kubeconfig.Fetch(ctx, c, o.fetch)
	}
	const step = "wait-kubeconfig"
	event.Startf(f.View(), step, "Wait for the kubeconfig of cluster %s/%s", o.fetch.Namespace, o.name)
	k, err := kubeconfig.Fetch(ctx, c, o.fetch)
	if err != nil {
		event.Failf(f.View(), step, "")
		if fault.CodeOf(err) == fault.Timeout {
			err = fault.WithHint(err, "give it more time with --timeout, now %s", o.timeout)
		}
		return nil, err
	}
	event.Donef(f.View(), step, "")
	return k, nil
}

// certCovers gives a server that doesn't answer little time: without an answer tls-server-name is right too.
func certCovers(ctx context.Context, k *kubeconfig.Kubeconfig, server string) bool {
	ctx, cancel := context.WithTimeout(ctx, 2*time.Second)
	defer cancel()
	return k.CertCovers(ctx, server)
}

// tellExpiry warns, or says when credentials end where somebody reads it beside the result.
func tellExpiry(ctx context.Context, f *cmdutil.Factory, o *kubeconfigOptions, k *kubeconfig.Kubeconfig) {
	if warning := k.Warning(o.now()); warning != "" {
		event.Warnf(f.View(), "%s", warning)
		return
	}
	e := k.Expiry()
	if e == nil {
		return
	}
	if o.merge || o.output != stdout {
		event.Notef(f.View(), "The %s is good until %s", e.Credential, e.At.Format(time.RFC3339))
		return
	}
	f.Log.Log(ctx, slog.Level(-1), "kubeconfig", "credential", e.Credential, "expires", e.At)
}
