// SPDX-License-Identifier: Apache-2.0

package get

import (
	"context"
	"time"

	"github.com/spf13/cobra"

	"github.com/clusterctl/clusterctl/pkg/cmd/cmdutil"
	"github.com/clusterctl/clusterctl/pkg/kubeconfig"
)

const kubeconfigLong = `Get the kubeconfig of a cluster out of its management cluster.

It comes from the secret NAME-user-kubeconfig where the control plane provider writes one
for people, else from NAME-kubeconfig (--internal takes that one in any case), and is
printed exactly as it is. Standard output gets the kubeconfig and nothing else. A warning
on standard error tells when its certificate or token ends within 30 days.

--output FILE writes a file that only you can read, in one go: it holds the old or the new
text, never a part. --merge adds the cluster to your own kubeconfig instead (the first file
of $KUBECONFIG that exists, or ~/.kube/config, or FILE), after a backup beside it; other
entries, comments and current-context stay. Entries of the same name that differ are
replaced with --force only.

--server points to another address, for example a published port or a load balancer. The CA
stays and the old host goes into tls-server-name unless the certificate is good for the new
one: the connection is checked as well as before.

Without --kubeconfig the management cluster is the one that "create cluster" recorded for the
name, else that of the current context.`

const kubeconfigExample = `  # look at it
  clusterctl get kubeconfig demo

  # into a file of its own
  clusterctl get kubeconfig demo --output demo.kubeconfig

  # into ~/.kube/config, as context "demo", and use it from now on
  clusterctl get kubeconfig demo --merge --context-name demo --set-current

  # as soon as it is there, for ten minutes at most
  clusterctl get kubeconfig demo -n team-a --wait --timeout 10m

  # through a published port of this host
  clusterctl get kubeconfig demo --server 127.0.0.1:40001

  # for a colleague, who reads it with: age -d -i ~/.ssh/id_ed25519
  clusterctl get kubeconfig demo --encrypt-to "ssh-ed25519 AAAA… colleague" > demo.kubeconfig.age`

// kubeconfigOptions are the inputs of get kubeconfig.
type kubeconfigOptions struct {
	name       string
	kube       cmdutil.KubeFlags
	fetch      kubeconfig.FetchOptions
	rewrite    kubeconfig.RewriteOptions
	timeout    time.Duration
	output     string
	merge      bool
	setCurrent bool
	force      bool
	encryptTo  []string
	now        func() time.Time
}

func newKubeconfig(f *cmdutil.Factory) *cobra.Command {
	o := &kubeconfigOptions{now: time.Now}
	cmd := &cobra.Command{
		Use:               "kubeconfig NAME",
		Short:             "Get the kubeconfig of a cluster",
		Long:              kubeconfigLong,
		Example:           kubeconfigExample,
		Args:              cmdutil.ExactArgs("NAME"),
		ValidArgsFunction: f.CompleteKnownClusters(&o.kube),
		RunE: func(cmd *cobra.Command, args []string) error {
			o.name = args[0]
			if err := o.check(cmd); err != nil {
				return err
			}
			return runKubeconfig(cmd.Context(), f, o)
		},
	}
	flags := cmd.Flags()
	o.kube.AddFlags(cmd, f)
	o.kube.AddNamespace(cmd, f)
	flags.StringVarP(&o.output, "output", "o", "-", "`FILE` to write to, with mode 0600; - is standard output")
	flags.BoolVar(&o.merge, "merge", false, "add it to your kubeconfig, or to the file of --output")
	flags.StringVar(&o.rewrite.ContextName, "context-name", "", "new `NAME` of the context, its cluster and its user")
	flags.BoolVar(&o.setCurrent, "set-current", false, "with --merge: make it the current context")
	flags.BoolVar(&o.force, "force", false, "with --merge: replace different entries of the same name")
	flags.BoolVar(&o.fetch.Wait, "wait", false, "wait until it is there")
	cmdutil.TimeoutVar(flags, &o.timeout, 10*time.Minute)
	flags.BoolVar(&o.fetch.Internal, "internal", false, "take the kubeconfig that the controllers use")
	flags.StringVar(&o.rewrite.Server, "server", "", "other `ADDRESS` of the API server: HOST, HOST:PORT or URL")
	flags.StringArrayVar(&o.encryptTo, "encrypt-to", nil, "encrypt it to a `RECIPIENT`, as armored age text: age1…, an SSH public key (ed25519, rsa) or a file of those; repeatable")
	_ = cmd.MarkFlagFilename("output")
	_ = cmd.MarkFlagFilename("encrypt-to")
	for _, name := range []string{"context-name", "server"} {
		_ = cmd.RegisterFlagCompletionFunc(name, cobra.NoFileCompletions)
	}
	return cmd
}

func runKubeconfig(ctx context.Context, f *cmdutil.Factory, o *kubeconfigOptions) error {
	ctx, cancel := cmdutil.WithTimeout(ctx, o.timeout)
	defer cancel()
	write, err := o.writer(f)
	if err != nil {
		return err
	}
	k, err := fetchKubeconfig(ctx, f, o)
	if err != nil {
		return err
	}
	if o.rewrite.Server != "" {
		o.rewrite.CertCoversServer = certCovers(ctx, k, o.rewrite.Server)
	}
	if k, err = k.Rewrite(o.rewrite); err != nil {
		return err
	}
	if err := write(ctx, k); err != nil {
		return err
	}
	tellExpiry(ctx, f, o, k)
	return nil
}
