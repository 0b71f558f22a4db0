// SPDX-License-Identifier: Apache-2.0

package provider

import (
	"context"
	"fmt"
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/clusterctl/clusterctl/pkg/event"
	"github.com/clusterctl/clusterctl/pkg/kube"
)

const (
	defaultStep     = "providers"
	defaultInterval = 250 * time.Millisecond
)

// InstallOptions say how providers are put on a cluster.
type InstallOptions struct {
	// Prepare rewrites a provider's objects for the kind of cluster, for example webhooks by URL; nil changes nothing.
	// It gets copies.
	Prepare func([]*unstructured.Unstructured) ([]*unstructured.Unstructured, error)
	// Config says where cert-manager comes from; nil means that it must be there if it is needed.
	Config *Config
	// WebhookCerts says where webhook certificates come from; empty means from cert-manager.
	WebhookCerts WebhookCerts
	// Sink hears of progress; nil is allowed.
	Sink event.Sink
	// Step is the name under which progress is reported; empty means "providers".
	Step string
	// NoWait leaves out the waits for Deployments and webhooks at the end, unless there are objects that the webhooks check.
	NoWait bool
	// Hold has the controllers stand at zero until a move starts them, see ReplicasAnnotation. Nothing is waited for then.
	Hold bool
	// Interval is the pause between two looks while waiting; 0 means 250 ms.
	Interval time.Duration
	// Before is told, before the first write, what isn't there yet and so will be created; its error ends the installation. nil: nobody
	// wants to know. See [Uninstall].
	Before func(context.Context, []kube.Ref) error
}

// ProviderResult says what was done for one provider.
type ProviderResult struct {
	Label, Version, Namespace string
	Created, Configured, Same int
}

// String is the result for people: "infrastructure-docker v1.14.2 in capd-system: 45 created".
func (r ProviderResult) String() string {
	counts := ""
	for _, c := range []struct {
		n    int
		word string
	}{{r.Created, "created"}, {r.Configured, "configured"}, {r.Same, "unchanged"}} {
		if c.n > 0 && counts != "" {
			counts += ", "
		}
		if c.n > 0 {
			counts += fmt.Sprintf("%d %s", c.n, c.word)
		}
	}
	return fmt.Sprintf("%s %s in %s: %s", r.Label, r.Version, r.Namespace, counts)
}

// InstallResult says what was done.
type InstallResult struct {
	// Providers are in the order of installation.
	Providers []ProviderResult
	// Objects is what happened to every object, inventory included.
	Objects []kube.Applied
}

// Changed says if anything was created or configured.
func (r InstallResult) Changed() bool {
	for _, a := range r.Objects {
		if a.Action != kube.Unchanged {
			return true
		}
	}
	return false
}

// Install makes the cluster hold the components and waits until they work: CRDs established, Deployments available,
// webhooks answering. Run again it changes nothing that is as it should be, and finishes what was interrupted.
//
// Everything is checked before the first write; refusals are of class Refused: another version or namespace of a
// provider is installed, contracts don't match, there is no core provider, cert-manager is needed and can't be had.
func Install(ctx context.Context, c *kube.Client, comps []*Components, opts InstallOptions) (InstallResult, error) {
	i, err := newInstaller(ctx, c, comps, opts)
	if err != nil {
		return InstallResult{}, err
	}
	if i.plan.certs != "" {
		event.Notef(i.opts.Sink, "%s", i.plan.certs)
	}
	for _, step := range []func(context.Context) error{i.announce, i.installCertManager, i.applyMain, i.recordInventory, i.wait, i.applyGuarded} {
		if err := step(ctx); err != nil {
			return i.result(), err
		}
	}
	for _, p := range i.result().Providers {
		event.Notef(i.opts.Sink, "%s", p)
	}
	return i.result(), nil
}

// Check makes the checks that Install makes before its first write, and no more: for a preflight or a dry run.
func Check(ctx context.Context, c *kube.Client, comps []*Components, opts InstallOptions) error {
	_, err := newInstaller(ctx, c, comps, opts)
	return err
}

func newInstaller(ctx context.Context, c *kube.Client, comps []*Components, opts InstallOptions) (*installer, error) {
	if opts.Step == "" {
		opts.Step = defaultStep
	}
	if opts.Interval == 0 {
		opts.Interval = defaultInterval
	}
	i := &installer{kube: c, opts: opts}
	var err error
	if i.plan, err = i.makePlan(ctx, comps); err != nil {
		return i, err
	}
	return i, i.hold(ctx)
}

type installer struct {
	kube    *kube.Client
	opts    InstallOptions
	plan    *plan
	applied []kube.Applied
}

// announce says what will be created.
func (i *installer) announce(ctx context.Context) error {
	if i.opts.Before == nil {
		return nil
	}
	_, missing, err := i.kube.Look(ctx, slices.Concat(i.plan.certManager, i.plan.main, i.plan.guarded, i.plan.inventory))
	if err != nil || len(missing) == 0 {
		return err
	}
	return i.opts.Before(ctx, missing)
}

// applyMain applies the objects of all providers together: kube.Apply orders them by what they depend on, so that all
// CRDs are established once, before the first controller starts, and webhook configurations come last.
func (i *installer) applyMain(ctx context.Context) error {
	event.Progressf(i.opts.Sink, i.opts.Step, "applying %s of %s", event.Count(len(i.plan.main), "object"), i.plan.names())
	return i.apply(ctx, i.plan.main)
}

// applyGuarded applies the objects that a webhook of these providers checks: it has to answer before them.
func (i *installer) applyGuarded(ctx context.Context) error {
	if len(i.plan.guarded) == 0 {
		return nil
	}
	event.Progressf(i.opts.Sink, i.opts.Step, "applying %s that the webhooks check", event.Count(len(i.plan.guarded), "object"))
	return i.apply(ctx, i.plan.guarded)
}

func (i *installer) recordInventory(ctx context.Context) error {
	if err := i.apply(ctx, i.plan.inventory); err != nil {
		return fmt.Errorf("record the providers in the inventory: %w", err)
	}
	return nil
}

func (i *installer) apply(ctx context.Context, objs []*unstructured.Unstructured) error {
	if len(objs) == 0 {
		return nil
	}
	// Force: what the release says is right; fields that nobody's release mentions stay as they are.
	res, err := i.kube.Apply(ctx, objs, kube.ApplyOptions{Force: true, SkipUnchanged: true, Step: i.opts.Step, Origin: i.plan.place})
	i.applied = append(i.applied, res.Objects...)
	return err
}

func (i *installer) wait(ctx context.Context) error {
	if i.opts.Hold || i.opts.NoWait && len(i.plan.guarded) == 0 {
		return nil
	}
	for _, w := range i.plan.unserved {
		event.Warnf(i.opts.Sink, "%s: nothing in the components serves it; not waited for", w)
	}
	conds := readiness(i.kube, i.plan.main)
	conds = append(conds, i.kube.WebhooksAnswer(i.plan.webhooks)...)
	if len(conds) == 0 {
		return nil
	}
	return kube.Wait(ctx, i.opts.Sink, i.opts.Step, i.opts.Interval, conds...)
}

// readiness makes the conditions for what runs pods. kube.Apply has waited for the CRDs.
func readiness(c *kube.Client, objs []*unstructured.Unstructured) []kube.Condition {
	return c.Readiness(slices.DeleteFunc(slices.Clone(objs), func(o *unstructured.Unstructured) bool { return !isWorkload(o) }))
}

// result counts what was done, by provider.
func (i *installer) result() InstallResult {
	res := InstallResult{Objects: i.applied}
	index := map[string]int{}
	for _, c := range i.plan.comps {
		index[c.Label()] = len(res.Providers)
		res.Providers = append(res.Providers, ProviderResult{Label: c.Label(), Version: c.Version, Namespace: c.TargetNamespace})
	}
	for _, a := range i.applied {
		n, ok := index[i.plan.owner[objectKey{a.GVK.GroupKind(), a.Namespace, a.Name}]]
		if !ok {
			continue
		}
		switch a.Action {
		case kube.Created:
			res.Providers[n].Created++
		case kube.Configured:
			res.Providers[n].Configured++
		case kube.Unchanged:
			res.Providers[n].Same++
		}
	}
	return res
}
