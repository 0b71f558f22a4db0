// SPDX-License-Identifier: Apache-2.0

package provider

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/clusterctl/clusterctl/pkg/fault"
	"github.com/clusterctl/clusterctl/pkg/manifest"
)

const (
	templateName     = "cluster-template"
	clusterClassName = "clusterclass"
	yamlSuffix       = ".yaml"
)

// Release is one version of a provider in its repository.
type Release struct {
	Entry      Entry
	Version    string
	Repository Repository

	cfg *Config
}

// Resolve finds the release that a spec means: its version, else the one in the provider's URL, where "latest" is
// the newest release. Only "latest" on a server needs a request. Unknown providers, and versions that a local
// repository doesn't hold, are refused with what there is.
func (c *Config) Resolve(ctx context.Context, spec Spec) (*Release, error) {
	e, err := c.find(spec)
	if err != nil {
		return nil, err
	}
	repo, err := c.newRepository(e)
	if err != nil {
		return nil, fault.Usagef("provider %s (%s): url: %w", e.Name, e.Source, err)
	}
	r := &Release{Entry: e, Version: spec.Version, Repository: repo, cfg: c}
	if r.Version == "" {
		r.Version = repo.DefaultVersion()
	}
	if r.Version == Latest {
		if r.Version, err = repo.Latest(ctx); err != nil {
			return nil, err
		}
	}
	if local, ok := repo.(*localRepository); ok && !r.overridden(repo.ComponentsFile()) {
		if err := local.checkVersion(r.Version); err != nil {
			return nil, err
		}
	}
	return r, nil
}

// File reads a file of the release: from the overrides folder if it is there, else from the repository.
func (r *Release) File(ctx context.Context, name string) (manifest.Source, error) {
	path := r.overridePath(name)
	if path != "" {
		data, err := os.ReadFile(path)
		if err == nil {
			return manifest.Source{Name: path, Data: data}, nil
		}
		if !errors.Is(err, fs.ErrNotExist) {
			return manifest.Source{}, fmt.Errorf("read override: %w", err)
		}
	}
	return r.Repository.File(ctx, r.Version, name)
}

func (r *Release) overridePath(name string) string {
	if r.cfg.OverridesFolder == "" {
		return ""
	}
	return filepath.Join(r.cfg.OverridesFolder, r.Entry.Label(), r.Version, name)
}

func (r *Release) overridden(name string) bool {
	_, err := os.Stat(r.overridePath(name))
	return err == nil
}

// Template reads the cluster template of a flavor; "" is the default template. Variables are still in it.
func (r *Release) Template(ctx context.Context, flavor string) (manifest.Source, error) {
	name := templateName + yamlSuffix
	if flavor != "" {
		name = templateName + "-" + flavor + yamlSuffix
	}
	return r.named(ctx, "flavor", flavor, name, r.Flavors())
}

// ClusterClass reads the template of a ClusterClass. Variables are still in it.
func (r *Release) ClusterClass(ctx context.Context, class string) (manifest.Source, error) {
	return r.named(ctx, "ClusterClass", class, clusterClassName+"-"+class+yamlSuffix, r.stems(clusterClassName))
}

// Flavors lists the flavors of a release where that can be known without asking a server.
func (r *Release) Flavors() []string { return r.stems(templateName) }

func (r *Release) stems(prefix string) []string {
	names := r.Repository.Files(r.Version)
	if dir := r.overridePath(""); dir != "" {
		names = append(names, (&localRepository{dir: filepath.Dir(dir)}).Files(filepath.Base(dir))...)
	}
	var out []string
	seen := map[string]bool{}
	for _, n := range names {
		stem, ok := strings.CutPrefix(strings.TrimSuffix(n, yamlSuffix), prefix+"-")
		if ok && strings.HasSuffix(n, yamlSuffix) && !seen[stem] {
			seen[stem] = true
			out = append(out, stem)
		}
	}
	return out
}

// named reads a file whose name a person chose a part of, and helps if there is none.
func (r *Release) named(ctx context.Context, what, value, name string, known []string) (manifest.Source, error) {
	if strings.ContainsAny(value, `/\`) || value == ".." {
		return manifest.Source{}, fault.Usagef("%s %q: not a name", what, value)
	}
	src, err := r.File(ctx, name)
	if !errors.Is(err, ErrNotFound) {
		return src, err
	}
	wanted := fmt.Sprintf("%s %q", what, value)
	if value == "" {
		wanted = "default cluster template"
	}
	if missing, ok := errors.AsType[*missingFile](err); ok {
		err = ofRelease{missing}
	}
	err = fault.Usagef("provider %s %s has no %s: %w", r.Entry.Label(), r.Version, wanted, err)
	switch near := nearest(value, known); {
	case len(near) > 0:
		return src, fault.WithHint(err, "did you mean %s? There is %s", list(near), strings.Join(known, ", "))
	case len(known) > 0:
		return src, fault.WithHint(err, "there is %s", strings.Join(known, ", "))
	}
	return src, fault.WithHint(err, "look at the release's page for the names of its files")
}
