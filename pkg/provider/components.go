// SPDX-License-Identifier: Apache-2.0

package provider

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"golang.org/x/sync/errgroup"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/clusterctl/clusterctl/pkg/capi"
	"github.com/clusterctl/clusterctl/pkg/fault"
	"github.com/clusterctl/clusterctl/pkg/manifest"
)

// ClusterctlLabel marks every object that clusterctl installed, upstream's and this one.
const ClusterctlLabel = "clusterctl.cluster.x-k8s.io"

// ComponentOptions say how components are made ready for a cluster.
type ComponentOptions struct {
	// Lookup finds values of variables; nil means that none is set.
	Lookup manifest.Lookup
	// TargetNamespace takes the place of the namespace in the components; empty keeps that one.
	TargetNamespace string
	// SkipVariables leaves variables as they are; the text must be YAML with them, too.
	SkipVariables bool
}

// Components are the objects of a release, made ready for a cluster.
type Components struct {
	Entry   Entry
	Version string
	// TargetNamespace is where the namespaced objects are.
	TargetNamespace string
	// Objects carry the provider's labels, the target namespace and the images after overrides.
	Objects []manifest.Object
	// Raw is the components file as it is in the repository.
	Raw manifest.Source
	// Variables are those that Raw uses.
	Variables []manifest.Variable
	// Images are those that the objects run.
	Images []string

	release *Release
}

// Label is the provider's label, for example "infrastructure-docker".
func (c *Components) Label() string { return c.Entry.Label() }

// Components reads the release's components file and makes it ready. All faults of the file come at once.
func (r *Release) Components(ctx context.Context, opts ComponentOptions) (*Components, error) {
	all, err := LoadComponents(ctx, []*Release{r}, opts)
	if err != nil {
		return nil, err
	}
	return all[0], nil
}

// LoadComponents does for several releases what Release.Components does for one: files are fetched at the same time,
// and faults and missing variables of all of them come in one error.
func LoadComponents(ctx context.Context, releases []*Release, opts ComponentOptions) ([]*Components, error) {
	raw, err := fetchAll(ctx, releases)
	if err != nil {
		return nil, err
	}
	rendered := raw
	if !opts.SkipVariables {
		if rendered, err = manifest.RenderAll(raw, opts.lookup()); err != nil {
			return nil, missingHint(err)
		}
	}
	out := make([]*Components, len(releases))
	var faults fault.List
	for i, r := range releases {
		c, err := r.build(raw[i], rendered[i], opts)
		faults.Add(err)
		out[i] = c
	}
	if err := faults.Err(); err != nil {
		return nil, err
	}
	return out, nil
}

func (o ComponentOptions) lookup() manifest.Lookup {
	if o.Lookup != nil {
		return o.Lookup
	}
	return func(string) (string, bool) { return "", false }
}

func missingHint(err error) error {
	var missing *manifest.MissingVariablesError
	if !errors.As(err, &missing) {
		return err
	}
	return fault.WithHint(err, "set them in the environment, or as NAME: value in clusterctl.yaml")
}

func fetchAll(ctx context.Context, releases []*Release) ([]manifest.Source, error) {
	out := make([]manifest.Source, len(releases))
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(4)
	for i, r := range releases {
		g.Go(func() error {
			src, err := r.File(ctx, r.Repository.ComponentsFile())
			out[i] = src
			return r.explainMissing(ctx, err)
		})
	}
	return out, g.Wait()
}

// explainMissing turns a server's 404 into what a person asked for, with the newest release if that can be known.
func (r *Release) explainMissing(ctx context.Context, err error) error {
	if _, remote := r.Repository.(*remoteRepository); !remote || !errors.Is(err, ErrNotFound) {
		return err
	}
	err = fault.Usagef("version %s of provider %s: %w", r.Version, r.Entry.Name, err)
	if newest, lerr := r.Repository.Latest(ctx); lerr == nil && newest != r.Version {
		return fault.WithHint(err, "the newest release is %s: --%s %s:%s", newest, r.Entry.Type.Flag(), r.Entry.Name, newest)
	}
	return fault.WithHint(err, "check the version, and the provider's url in clusterctl.yaml (%s)", r.Entry.Source)
}

// build makes objects out of rendered text: parse, image overrides, namespace, labels.
func (r *Release) build(raw, rendered manifest.Source, opts ComponentOptions) (*Components, error) {
	c := &Components{Entry: r.Entry, Version: r.Version, Raw: raw, release: r}
	var err error
	if c.Variables, err = manifest.Variables(raw, opts.Lookup); err != nil && !opts.SkipVariables {
		return nil, err
	}
	if c.Objects, err = manifest.Parse(rendered); err != nil {
		return nil, err
	}
	if len(c.Objects) == 0 {
		return nil, fault.Usagef("%s: no objects in it", raw.Name)
	}
	if err := manifest.Check(c.Objects); err != nil {
		return nil, err
	}
	objs := manifest.Unwrap(c.Objects)
	err = manifest.MapImages(objs, func(image string) (string, error) { return r.cfg.MapImage(c.Label(), image) })
	if err != nil {
		return nil, fmt.Errorf("%s: %w", raw.Name, err)
	}
	c.Images = manifest.Images(objs)
	if err := c.setNamespace(opts.TargetNamespace); err != nil {
		return nil, err
	}
	for _, o := range c.Objects {
		label(o.Unstructured, map[string]string{ClusterctlLabel: "", capi.ProviderLabel: c.Label()})
	}
	return c, nil
}

// setNamespace moves the objects to the target namespace. The one Namespace in the components is the default.
func (c *Components) setNamespace(target string) error {
	var found []manifest.Object
	for _, o := range c.Objects {
		if isNamespace(o.Unstructured) {
			found = append(found, o)
		}
	}
	switch {
	case len(found) > 1:
		places := make([]string, len(found))
		for i, o := range found {
			places[i] = fmt.Sprintf("%s (%s)", o.GetName(), o.Origin)
		}
		return fault.Usagef("%s: more than one Namespace: %s; a provider lives in one", c.Raw.Name, strings.Join(places, ", "))
	case len(found) == 0 && target == "":
		return fault.WithHint(fault.Usagef("%s: no Namespace in the components", c.Raw.Name), "name one with --target-namespace")
	case len(found) == 0:
		ns := &unstructured.Unstructured{}
		ns.SetAPIVersion("v1")
		ns.SetKind("Namespace")
		ns.SetName(target)
		c.Objects = append([]manifest.Object{{Unstructured: ns, Origin: manifest.Origin{File: c.Raw.Name}}}, c.Objects...)
	case target == "":
		target = found[0].GetName()
	}
	c.TargetNamespace = target
	if err := manifest.SetNamespace(manifest.Unwrap(c.Objects), target); err != nil {
		return fmt.Errorf("%s: %w", c.Raw.Name, err)
	}
	return nil
}

func isNamespace(u *unstructured.Unstructured) bool {
	return u.GetKind() == "Namespace" && u.GetAPIVersion() == "v1"
}

func label(u *unstructured.Unstructured, more map[string]string) {
	labels := u.GetLabels()
	if labels == nil {
		labels = map[string]string{}
	}
	for k, v := range more {
		labels[k] = v
	}
	u.SetLabels(labels)
}
