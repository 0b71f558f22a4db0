// SPDX-License-Identifier: Apache-2.0

package flow

import (
	"context"
	"fmt"
	"strings"

	"github.com/clusterctl/clusterctl/pkg/bootstrap"
	"github.com/clusterctl/clusterctl/pkg/event"
	"github.com/clusterctl/clusterctl/pkg/fault"
	"github.com/clusterctl/clusterctl/pkg/kube"
	"github.com/clusterctl/clusterctl/pkg/manifest"
	"github.com/clusterctl/clusterctl/pkg/provider"
)

// ProviderChoice says which providers a management cluster gets.
type ProviderChoice struct {
	Core              string
	Bootstrap         []string
	ControlPlane      []string
	Infrastructure    []string
	IPAM              []string
	RuntimeExtensions []string
	Addons            []string
}

// none, in place of a provider's name, means that no provider of that type is wanted.
const none = "-"

// Specs reads the choice. Core, bootstrap and control plane have upstream's defaults (cluster-api, kubeadm,
// kubeadm) where nothing is said; "-" means none. All faults come at once.
func (p ProviderChoice) Specs() ([]provider.Spec, error) {
	var out []provider.Spec
	var faults fault.List
	add := func(t provider.Type, names []string, byDefault ...string) {
		if len(names) == 0 {
			names = byDefault
		}
		for _, name := range names {
			if name == none || name == "" {
				continue
			}
			spec, err := provider.ParseSpec(t, name)
			faults.Add(err)
			out = append(out, spec)
		}
	}
	add(provider.CoreProvider, one(p.Core), provider.CoreName)
	add(provider.BootstrapProvider, p.Bootstrap, "kubeadm")
	add(provider.ControlPlaneProvider, p.ControlPlane, "kubeadm")
	add(provider.InfrastructureProvider, p.Infrastructure)
	add(provider.IPAMProvider, p.IPAM)
	add(provider.RuntimeExtensionProvider, p.RuntimeExtensions)
	add(provider.AddonProvider, p.Addons)
	return out, faults.Err()
}

func one(s string) []string {
	if s == "" {
		return nil
	}
	return []string{s}
}

func (in Inputs) choice() ProviderChoice {
	return ProviderChoice{
		Core: in.Core, Bootstrap: in.BootstrapProviders, ControlPlane: in.ControlPlanes, Infrastructure: one(in.Infrastructure),
		IPAM: in.IPAMs, RuntimeExtensions: in.RuntimeExtensions, Addons: in.Addons,
	}
}

// webhookCerts is the source of webhook certificates: auto where nothing was said.
func (in Inputs) webhookCerts() provider.WebhookCerts {
	if in.WebhookCerts == "" {
		return provider.AutoCerts
	}
	return in.WebhookCerts
}

// namesProviders says whether the inputs name any provider.
func (in Inputs) namesProviders() bool {
	return in.Core != "" || in.Infrastructure != "" ||
		len(in.BootstrapProviders)+len(in.ControlPlanes)+len(in.IPAMs)+len(in.RuntimeExtensions)+len(in.Addons) > 0
}

// planProviders reads the components of the providers that are to be installed. A cluster from files, on an
// existing management cluster, needs none to be named: what is installed there is what there is.
func (c *Create) planProviders(ctx context.Context, p *plan) error {
	in := c.record.Inputs
	if p.mode == FromLegacy && in.ProviderComponents != "" {
		return c.planLegacyComponents(ctx, p)
	}
	specs, err := c.specs(p)
	if err != nil || len(specs) == 0 {
		return err
	}
	var faults fault.List
	for _, spec := range specs {
		r, err := c.host.Config.Resolve(ctx, c.pin(ctx, spec))
		faults.Add(err)
		p.releases = append(p.releases, r)
	}
	if err := faults.Err(); err != nil {
		return err
	}
	p.components, err = provider.LoadComponents(ctx, p.releases, provider.ComponentOptions{Lookup: c.componentLookup(p)})
	return err
}

// specs are the providers that are to be installed; none: what is installed is what there is.
func (c *Create) specs(p *plan) ([]provider.Spec, error) {
	in := c.record.Inputs
	if in.namesProviders() {
		return in.choice().Specs()
	}
	if c.record.Bootstrap.Type == bootstrap.Existing {
		return nil, nil
	}
	if p.mode == FromBackup {
		if specs, err := c.backupSpecs(); err != nil || len(specs) > 0 {
			return specs, err
		}
	}
	return nil, fault.WithHint(fault.Usagef("the %s is new, and nothing says which infrastructure provider it needs", describeBootstrap(c.record.Bootstrap)),
		"name it: --infrastructure docker")
}

// pin keeps a provider's version over the runs of one cluster: the one that is recorded, else the one that is installed.
func (c *Create) pin(ctx context.Context, spec provider.Spec) provider.Spec {
	if spec.Version != "" {
		return spec
	}
	if v := c.record.Providers[spec.Label()]; v != "" {
		spec.Version = v
		return spec
	}
	if c.record.Bootstrap.Type == bootstrap.Existing {
		spec = provider.Pin(spec, c.installed(ctx))
	}
	return spec
}

// installed lists the providers of an existing management cluster; what can't be asked is not pinned, the preflight says why.
func (c *Create) installed(ctx context.Context) []provider.InstalledProvider {
	if c.found != nil {
		return *c.found
	}
	var found []provider.InstalledProvider
	if client, err := c.management(ctx); err == nil {
		found, _ = provider.Installed(ctx, client)
	}
	c.found = &found
	return found
}

func (c *Create) installProviders(ctx context.Context) (string, error) {
	p, err := c.readPlan(ctx)
	if err != nil {
		return "", err
	}
	client, err := c.management(ctx)
	if err != nil {
		return "", err
	}
	if err := c.checkNoMove(ctx, client, p); err != nil {
		return "", err
	}
	if err := settled(ctx, client, c.record.Bootstrap, c.host); err != nil {
		return "", err
	}
	if err := c.applyBootstrapOnly(ctx, client, p); err != nil {
		return "", err
	}
	if len(p.legacyComponents) > 0 {
		return c.installLegacyComponents(ctx, client, p)
	}
	if len(p.components) == 0 {
		return "none asked for: using what is installed", nil
	}
	if err := c.topology(ctx, client, p); err != nil {
		return "", err
	}
	res, err := provider.Install(ctx, client, p.components, provider.InstallOptions{
		Prepare: c.boot.Prepare, Sink: c.reasons().Sink(ctx), Step: StepProviders, Config: c.host.Config,
		WebhookCerts: c.record.Inputs.webhookCerts(), Before: c.noting(client),
	})
	if err != nil {
		return "", c.reasons().Explain(ctx, err)
	}
	return fmt.Sprintf("%s serve: %s", providerNames(p.components), installSummary(res)), nil
}

// topology has the components keep a feature that clusters which are there already may need, and says so where this
// cluster needs what the components leave off.
func (c *Create) topology(ctx context.Context, client *kube.Client, p *plan) error {
	values := c.componentLookup(p)
	keep, err := keepTopology(ctx, client, values)
	if err != nil {
		return err
	}
	if keep {
		p.components, err = provider.LoadComponents(ctx, p.releases, provider.ComponentOptions{Lookup: withTopology(values)})
		return err
	}
	if _, set := c.lookup()(clusterTopology); !set && p.usesTopology() {
		event.Notef(c.host.Sink, "the cluster has a topology (a ClusterClass): installing the providers with %s=true", clusterTopology)
	}
	return nil
}

// noting is what an installation on the management cluster calls before its first write.
func (c *Create) noting(client *kube.Client) func(context.Context, []kube.Ref) error {
	return noting(c.record.Bootstrap, client, c.record.Inputs.KeepProviders, c.host)
}

func (c *Create) applyBootstrapOnly(ctx context.Context, client *kube.Client, p *plan) error {
	if len(p.bootstrapOnly) == 0 {
		return nil
	}
	objs, err := c.boot.Prepare(manifest.Unwrap(p.bootstrapOnly))
	if err != nil {
		return fmt.Errorf("bootstrap-only components: %w", err)
	}
	if err := note(ctx, client, objs, c.noting(client)); err != nil {
		return fmt.Errorf("bootstrap-only components: %w", err)
	}
	if _, err := client.Apply(ctx, objs, kube.ApplyOptions{Step: StepProviders, Force: true}); err != nil {
		return fmt.Errorf("bootstrap-only components: %w", err)
	}
	return nil
}

func providerNames(comps []*provider.Components) string {
	names := make([]string, len(comps))
	for i, comp := range comps {
		names[i] = comp.Label() + " " + comp.Version
	}
	return strings.Join(names, ", ")
}

// installSummary counts what was done to the providers' objects.
func installSummary(res provider.InstallResult) string {
	var created, configured, same int
	for _, p := range res.Providers {
		created, configured, same = created+p.Created, configured+p.Configured, same+p.Same
	}
	return fmt.Sprintf("%d objects created, %d configured, %d unchanged", created, configured, same)
}
