// SPDX-License-Identifier: Apache-2.0

package flow

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/clusterctl/clusterctl/pkg/atomicfile"
	"github.com/clusterctl/clusterctl/pkg/bootstrap"
	"github.com/clusterctl/clusterctl/pkg/capi"
	"github.com/clusterctl/clusterctl/pkg/event"
	"github.com/clusterctl/clusterctl/pkg/fault"
	"github.com/clusterctl/clusterctl/pkg/kube"
	"github.com/clusterctl/clusterctl/pkg/move"
	moveplan "github.com/clusterctl/clusterctl/pkg/move/plan"
	"github.com/clusterctl/clusterctl/pkg/provider"
)

// transfer moves the objects of a Cluster between a bootstrap cluster and the cluster itself, in either direction.
type transfer struct {
	namespace, name string
	source, target  *kube.Client
	host            Host
	step            string
	// discard says that the source is deleted as a whole afterwards.
	discard bool
	// provisioning lets Clusters move that aren't provisioned.
	provisioning bool
	// kept hears of the file with the snapshot; nil is allowed.
	kept func(string) error
	// releasing hears that the source is about to give the objects up; nil is allowed.
	releasing func() error
}

// run moves, or goes on with a move that was begun. One that had come to its end is seen by where the Cluster is.
func (t transfer) run(ctx context.Context, scope moveplan.Scope) (string, error) {
	begun, err := move.Inspect(ctx, t.source)
	if err != nil {
		return "", err
	}
	if begun != nil {
		scope = moveplan.Scope{} // whatever it was begun with
	} else if done, err := t.done(ctx); err != nil || done {
		return "everything was moved already", err
	}
	why, err := ReasonsAt(t.host, t.target.Host())
	if err != nil {
		return "", err
	}
	r, err := move.Run(ctx, move.Options{
		Source: t.source, Target: t.target, Scope: scope, Discard: t.discard, Part: true, AllowProvisioning: t.provisioning,
		StateDir: filepath.Join(t.host.Dirs.State, "moves"), By: t.host.Self, Alive: t.host.Alive, Sink: within(t.step, why.Sink(ctx)), Kept: t.kept,
		Releasing: t.releasing,
	})
	if err != nil {
		return "", why.Explain(ctx, err)
	}
	return event.Count(r.Objects, "object") + " moved", nil
}

// done says whether the target has the Cluster and the source hasn't.
func (t transfer) done(ctx context.Context) (bool, error) {
	there, err := holdsCluster(ctx, t.target, t.namespace, t.name)
	if err != nil || !there {
		return false, err
	}
	here, err := holdsCluster(ctx, t.source, t.namespace, t.name)
	return !here, err
}

// holdsCluster says whether a management cluster has a Cluster object of that name.
func holdsCluster(ctx context.Context, c *kube.Client, namespace, name string) (bool, error) {
	gvk, err := capi.ClusterGVK(ctx, c)
	if errors.Is(err, capi.ErrNotInstalled) {
		return false, nil
	} else if err != nil {
		return false, err
	}
	_, err = c.Get(ctx, gvk, namespace, name)
	if apierrors.IsNotFound(err) {
		return false, nil
	}
	return err == nil, err
}

// cantHoldControllers says why a cluster can't be a management cluster; empty: it can.
func cantHoldControllers(ctx context.Context, c *kube.Client) (string, error) {
	for _, gk := range []schema.GroupKind{
		{Group: "apiextensions.k8s.io", Kind: "CustomResourceDefinition"},
		{Group: "apps", Kind: "Deployment"},
		{Group: "admissionregistration.k8s.io", Kind: "ValidatingWebhookConfiguration"},
	} {
		_, err := c.Mapping(ctx, gk)
		if errors.Is(err, kube.ErrNoKind) {
			return fmt.Sprintf("the cluster serves no %ss, so it can't manage itself", gk.Kind), nil
		} else if err != nil {
			return "", err
		}
	}
	return "", nil
}

// componentsLike are the components of the providers that a management cluster has, in the versions that it has.
func componentsLike(ctx context.Context, like *kube.Client, config *provider.Config, set map[string]string) ([]*provider.Components, error) {
	installed, err := provider.Installed(ctx, like)
	if err != nil {
		return nil, err
	}
	var releases []*provider.Release
	var faults fault.List
	for _, p := range installed {
		if p.Version == "" {
			faults.Add(fault.Refusedf("the version of provider %s, which runs in namespace %s, can't be told from its image", p.Label(), p.Namespace))
			continue
		}
		r, err := config.Resolve(ctx, provider.Spec{Type: p.Type, Name: p.Name, Version: p.Version})
		faults.Add(err)
		releases = append(releases, r)
	}
	if err := faults.Err(); err != nil {
		return nil, err
	}
	if len(releases) == 0 {
		return nil, fault.Refusedf("%s has no providers", like.Host())
	}
	values := config.Lookup(set)
	keep, err := keepTopology(ctx, like, values)
	if err != nil {
		return nil, err
	}
	if keep {
		values = withTopology(values)
	}
	return provider.LoadComponents(ctx, releases, provider.ComponentOptions{Lookup: values})
}

// installHeld installs providers whose controllers stand at zero until a move starts them. Where some run already, those go on.
// before is told what will be created, as in provider.InstallOptions.
func installHeld(
	ctx context.Context, c *kube.Client, comps []*provider.Components, b bootstrap.Cluster, h Host, step string, certs provider.WebhookCerts,
	before func(context.Context, []kube.Ref) error,
) (string, error) {
	running, err := runsProviders(ctx, c)
	if err != nil {
		return "", err
	}
	res, err := provider.Install(ctx, c, comps, provider.InstallOptions{
		Prepare: b.Prepare, Sink: h.Sink, Step: step, Config: h.Config, Hold: !running, WebhookCerts: certs, Before: before,
	})
	if err != nil {
		return "", err
	}
	state := "stand at 0 until the move starts them"
	if running {
		state = "run"
	}
	return fmt.Sprintf("%s %s: %s", providerNames(comps), state, installSummary(res)), nil
}

// runsProviders says whether any provider's controller runs.
func runsProviders(ctx context.Context, c *kube.Client) (bool, error) {
	list, err := c.List(ctx, schema.GroupVersionKind{Group: "apps", Version: "v1", Kind: "Deployment"}, kube.ListOptions{LabelSelector: capi.ProviderLabel})
	for _, d := range list {
		if kube.Replicas(d) > 0 {
			return true, nil
		}
	}
	return false, err
}

// connect makes a client without a limit of requests per second: a move finds out itself how much a server takes. counter may be nil.
func connect(h Host, path, context string, counter *kube.Counter) (*kube.Client, error) {
	cfg, err := kube.LoadConfig(kube.ConfigSource{Path: path, Context: context, Getenv: h.Getenv})
	if err != nil {
		return nil, err
	}
	return kube.New(cfg.REST, kube.Options{UserAgent: h.UserAgent, Sink: h.Sink, QPS: -1, Counter: counter})
}

func isFile(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// writePrivate writes a file that only its owner reads, whole or not at all.
func writePrivate(path string, data []byte) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	return atomicfile.Write(path, data, 0o600)
}
