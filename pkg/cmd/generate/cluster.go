// SPDX-License-Identifier: Apache-2.0

package generate

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/clusterctl/clusterctl/pkg/cmd/cmdutil"
	"github.com/clusterctl/clusterctl/pkg/manifest"
	"github.com/clusterctl/clusterctl/pkg/provider"
	"github.com/clusterctl/clusterctl/pkg/workload"
)

type clusterOptions struct {
	namespace      string
	infrastructure string
	flavor         string
	version        string
	controlPlanes  int64
	workers        int64
	from           string
	rendering
}

func newCmdCluster(f *cmdutil.Factory) *cobra.Command {
	o := &clusterOptions{}
	cmd := &cobra.Command{
		Use:   "cluster NAME",
		Short: "Render a cluster template",
		Long: `Render the cluster template of an infrastructure provider, or any other, to standard output.
It needs no cluster and applies nothing; "create cluster" does both in one go.`,
		Example: `  clusterctl generate cluster demo --infrastructure docker --flavor in-memory > demo.yaml
  clusterctl generate cluster demo --infrastructure docker --list-variables
  clusterctl generate cluster demo --from template.yaml`,
		Args:              cmdutil.ExactArgs("NAME"),
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE: func(cmd *cobra.Command, args []string) error {
			return runCluster(cmd.Context(), f, cmd, o, args[0])
		},
	}
	fl := cmd.Flags()
	fl.StringVarP(&o.namespace, "target-namespace", "n", "default", "namespace of the cluster's objects")
	fl.StringVarP(&o.infrastructure, "infrastructure", "i", "", "infrastructure provider, NAME or NAME:VERSION")
	fl.StringVarP(&o.flavor, "flavor", "f", "", "flavor of the provider's cluster template")
	fl.StringVar(&o.version, "kubernetes-version", "", "Kubernetes version of the cluster (default: KUBERNETES_VERSION)")
	fl.Int64Var(&o.controlPlanes, "control-plane-machine-count", 0, "number of control plane machines (default: CONTROL_PLANE_MACHINE_COUNT, else 1)")
	fl.Int64Var(&o.workers, "worker-machine-count", 0, "number of worker machines (default: WORKER_MACHINE_COUNT, else 0)")
	fl.StringVar(&o.from, "from", "", "file or URL of another template, - for standard input")
	o.addFlags(cmd, f)
	return cmd
}

func runCluster(ctx context.Context, f *cmdutil.Factory, cmd *cobra.Command, o *clusterOptions, name string) error {
	if (o.from == "") == (o.infrastructure == "") {
		return cmdutil.WrongUsagef(cmd, "give either --infrastructure or --from")
	}
	if o.from != "" && o.flavor != "" {
		return cmdutil.WrongUsagef(cmd, "--flavor chooses a provider's template; it doesn't go with --from")
	}
	cfg, err := f.LoadConfig(ctx, provider.LoadOptions{})
	if err != nil {
		return err
	}
	src, err := template(ctx, f, o, cfg)
	if err != nil {
		return err
	}
	in := workload.TemplateInput{Name: name, Namespace: o.namespace, KubernetesVersion: o.version}
	if cmd.Flags().Changed("control-plane-machine-count") {
		in.ControlPlaneMachines = &o.controlPlanes
	}
	if cmd.Flags().Changed("worker-machine-count") {
		in.WorkerMachines = &o.workers
	}
	values, err := workload.TemplateValues(in, cfg.Lookup(nil))
	if err != nil {
		return err
	}
	return o.run(ctx, f, []manifest.Source{src}, values)
}

func template(ctx context.Context, f *cmdutil.Factory, o *clusterOptions, cfg *provider.Config) (manifest.Source, error) {
	if o.from != "" {
		srcs, err := manifest.ReadFiles(ctx, []string{o.from}, manifest.ReadOptions{Stdin: f.Streams.In})
		if err != nil {
			return manifest.Source{}, err
		}
		return srcs[0], nil
	}
	spec, err := provider.ParseSpec(provider.InfrastructureProvider, o.infrastructure)
	if err != nil {
		return manifest.Source{}, err
	}
	r, err := cfg.Resolve(ctx, spec)
	if err != nil {
		return manifest.Source{}, err
	}
	return r.Template(ctx, o.flavor)
}
