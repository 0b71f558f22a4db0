// SPDX-License-Identifier: Apache-2.0

package flow

import (
	"context"
	"fmt"

	"github.com/clusterctl/clusterctl/pkg/bootstrap"
	"github.com/clusterctl/clusterctl/pkg/bootstrap/existing"
	"github.com/clusterctl/clusterctl/pkg/bootstrap/local"
	"github.com/clusterctl/clusterctl/pkg/event"
	"github.com/clusterctl/clusterctl/pkg/fault"
	"github.com/clusterctl/clusterctl/pkg/kube"
	"github.com/clusterctl/clusterctl/pkg/provider"
)

// InitOptions say which providers to install where.
type InitOptions struct {
	Providers ProviderChoice
	// TargetNamespace takes the place of each provider's own namespace; empty keeps that.
	TargetNamespace string
	// Set are values of variables that win over environment and configuration.
	Set map[string]string
	// Kubeconfig and Context name the cluster; both empty means kubectl's rules.
	Kubeconfig string
	Context    string
	// WebhookCerts says where the certificates of the providers' webhooks come from; empty is auto.
	WebhookCerts provider.WebhookCerts
	// Hold has the controllers stand at zero until a move starts them.
	Hold bool
	// DryRun reads and checks everything, and asks what is installed, but changes nothing.
	DryRun bool
}

// InitProvider is one provider that Init installed, or found installed.
type InitProvider struct {
	Label     string `json:"label"`
	Version   string `json:"version"`
	Namespace string `json:"namespace"`
	// Objects is how many objects it consists of.
	Objects int `json:"objects"`
}

// Init makes a cluster hold providers and waits until they serve. Everything is read and checked before the first write.
func Init(ctx context.Context, o InitOptions, h Host) ([]InitProvider, error) {
	specs, err := o.Providers.Specs()
	if err != nil {
		return nil, err
	}
	cfg, err := kube.LoadConfig(kube.ConfigSource{Path: o.Kubeconfig, Context: o.Context, Getenv: h.Getenv})
	if err != nil {
		return nil, err
	}
	client, err := kube.New(cfg.REST, kube.Options{UserAgent: h.UserAgent, Sink: h.Sink})
	if err != nil {
		return nil, err
	}
	if _, err := client.Ping(ctx); err != nil {
		return nil, err
	}
	if err := checkNoMove(ctx, client); err != nil {
		return nil, err
	}
	comps, err := initComponents(ctx, o, h, client, specs)
	if err != nil {
		return nil, err
	}
	if !o.DryRun {
		if err := initInstall(ctx, o, h, client, cfg, comps); err != nil {
			return nil, err
		}
	}
	out := make([]InitProvider, len(comps))
	for i, c := range comps {
		out[i] = InitProvider{Label: c.Label(), Version: c.Version, Namespace: c.TargetNamespace, Objects: len(c.Objects)}
	}
	return out, nil
}

func initComponents(ctx context.Context, o InitOptions, h Host, client *kube.Client, specs []provider.Spec) ([]*provider.Components, error) {
	installed, err := provider.Installed(ctx, client)
	if err != nil {
		return nil, err
	}
	var releases []*provider.Release
	var faults fault.List
	for _, spec := range specs {
		r, err := h.Config.Resolve(ctx, provider.Pin(spec, installed))
		faults.Add(err)
		releases = append(releases, r)
	}
	if err := faults.Err(); err != nil {
		return nil, err
	}
	values := h.Config.Lookup(o.Set)
	keep, err := keepTopology(ctx, client, values)
	if err != nil {
		return nil, err
	}
	if keep {
		values = withTopology(values)
	}
	return provider.LoadComponents(ctx, releases, provider.ComponentOptions{Lookup: values, TargetNamespace: o.TargetNamespace})
}

func initInstall(ctx context.Context, o InitOptions, h Host, client *kube.Client, cfg *kube.Config, comps []*provider.Components) error {
	b, err := bootstrapAt(h, cfg)
	if err != nil {
		return err
	}
	why := Reasons{boot: b, on: b.Type(), sink: h.Sink}
	event.Startf(h.Sink, StepProviders, "Install %s and wait until they serve", providerNames(comps))
	res, err := provider.Install(ctx, client, comps, provider.InstallOptions{
		Prepare: b.Prepare, Sink: why.Sink(ctx), Step: StepProviders, Config: h.Config, Hold: o.Hold,
		WebhookCerts: Inputs{WebhookCerts: o.WebhookCerts}.webhookCerts(),
	})
	if err != nil {
		err = why.Explain(ctx, err)
		event.Failf(h.Sink, StepProviders, "%s", fault.Brief(err))
		return err
	}
	state := "serve"
	if o.Hold {
		state = "stand at 0 until a move starts them"
	}
	if err := disown(ctx, client, h); err != nil {
		return err
	}
	event.Donef(h.Sink, StepProviders, "%s %s: %s", providerNames(comps), state, installSummary(res))
	for _, w := range client.Warnings() {
		event.Warnf(h.Sink, "the API server says: %s", w)
	}
	return nil
}

// bootstrapAt finds out whether a kubeconfig leads to a local bootstrap cluster of ours, whose components need rewriting.
func bootstrapAt(h Host, cfg *kube.Config) (bootstrap.Cluster, error) {
	name, err := localAt(h, cfg.REST.Host)
	if err != nil {
		return nil, err
	}
	if name != "" {
		return openBootstrap(BootstrapRecord{Type: bootstrap.Local, Name: name}, BootstrapOptions{}, h)
	}
	return existing.New(cfg.Path, cfg.Context), nil
}

// localAt is the name of the local bootstrap cluster of ours with that address; empty: there is none.
func localAt(h Host, address string) (string, error) {
	infos, err := local.List(h.Dirs)
	if err != nil {
		return "", fmt.Errorf("list local bootstrap clusters: %w", err)
	}
	for _, i := range infos {
		if i.Endpoint != "" && i.Endpoint == address {
			return i.Name, nil
		}
	}
	return "", nil
}
