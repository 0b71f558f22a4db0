// SPDX-License-Identifier: Apache-2.0

package generate

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/clusterctl/clusterctl/pkg/cmd/cmdutil"
	"github.com/clusterctl/clusterctl/pkg/manifest"
	"github.com/clusterctl/clusterctl/pkg/provider"
)

type providerOptions struct {
	names     map[provider.Type]*string
	namespace string
	raw       bool
	rendering
}

func newCmdProvider(f *cmdutil.Factory) *cobra.Command {
	o := &providerOptions{names: map[provider.Type]*string{}}
	cmd := &cobra.Command{
		Use:   "provider",
		Short: "Render the components of a provider",
		Long: `Render the components of one provider as "init" would apply them: variables filled in, images
replaced, namespace set, labelled. With --raw the file as it is in the provider's repository.`,
		Example: `  clusterctl generate provider --infrastructure docker:v1.14.2
  clusterctl generate provider --core cluster-api --list-variables`,
		Args: cmdutil.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return runProvider(cmd.Context(), f, cmd, o)
		},
	}
	short := map[provider.Type]string{provider.InfrastructureProvider: "i", provider.BootstrapProvider: "b", provider.ControlPlaneProvider: "c"}
	for _, t := range provider.Types() {
		o.names[t] = cmd.Flags().StringP(t.Flag(), short[t], "", "the provider, NAME or NAME:VERSION")
	}
	cmd.Flags().StringVarP(&o.namespace, "target-namespace", "n", "", "namespace to put it in (default: the provider's own)")
	cmd.Flags().BoolVar(&o.raw, "raw", false, "print the file as it is in the repository")
	o.addFlags(cmd, f)
	return cmd
}

func runProvider(ctx context.Context, f *cmdutil.Factory, cmd *cobra.Command, o *providerOptions) error {
	spec, err := o.spec(cmd)
	if err != nil {
		return err
	}
	values, err := cmdutil.ParseSet(o.set)
	if err != nil {
		return err
	}
	cfg, err := f.LoadConfig(ctx, provider.LoadOptions{Flags: values})
	if err != nil {
		return err
	}
	r, err := cfg.Resolve(ctx, spec)
	if err != nil {
		return err
	}
	if o.raw || o.list {
		src, err := r.File(ctx, r.Repository.ComponentsFile())
		if err != nil {
			return err
		}
		if o.list {
			return o.printVariables(f, []manifest.Source{src}, cfg)
		}
		return o.write(f, src.Data)
	}
	comps, err := r.Components(ctx, provider.ComponentOptions{Lookup: cfg.Lookup(nil), TargetNamespace: o.namespace})
	if err != nil {
		return err
	}
	data, err := manifest.ToYAML(manifest.Unwrap(comps.Objects))
	if err != nil {
		return err
	}
	return o.write(f, data)
}

// spec finds the one provider that was asked for.
func (o *providerOptions) spec(cmd *cobra.Command) (provider.Spec, error) {
	var found []provider.Spec
	for _, t := range provider.Types() {
		if name := *o.names[t]; name != "" {
			spec, err := provider.ParseSpec(t, name)
			if err != nil {
				return provider.Spec{}, err
			}
			found = append(found, spec)
		}
	}
	if len(found) != 1 {
		return provider.Spec{}, cmdutil.WrongUsagef(cmd, "name exactly one provider, for example --infrastructure docker:v1.14.2")
	}
	return found[0], nil
}
