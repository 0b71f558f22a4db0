// SPDX-License-Identifier: Apache-2.0

package plan

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/clusterctl/clusterctl/test/tools/parts/internal/cache"
	"github.com/clusterctl/clusterctl/test/tools/parts/internal/download"
	"github.com/clusterctl/clusterctl/test/tools/parts/internal/pins"
	"github.com/clusterctl/clusterctl/test/tools/parts/internal/providers"
)

// The groups that parts belong to.
const (
	GroupKube       = "kube"
	GroupCAPI       = "capi"
	GroupRepository = "repository"
	GroupImages     = "images"
	// GroupExtras is what only comparisons and people need.
	GroupExtras = "extras"
	// GroupNode is what images of nodes are made of. It is made only where it is named.
	GroupNode = "node"
	// GroupCertManager is cert-manager, for clusters of containers. It is made only where it is named.
	GroupCertManager = "cert-manager"
)

// Part is one thing to have in the cache folder.
type Part struct {
	Name, Group string
	// Inputs is everything that the part depends on. Another value makes it anew.
	Inputs []string
	// Outputs are its files or folders.
	Outputs []string
	// Make makes it, and says how.
	Make func(ctx context.Context) (source string, err error)
}

// Versions are the versions that the tool modules pin.
type Versions struct{ Kubernetes, Etcd, CAPI, CertManager string }

// ReadVersions reads the pinned versions. The modules of Cluster API have to
// be of one version.
func ReadVersions(tools pins.Tools) (Versions, error) {
	var versions Versions
	for _, pin := range []struct {
		module, path string
		version      *string
	}{
		{pins.Kubernetes, "k8s.io/kubernetes", &versions.Kubernetes},
		{pins.Etcd, "go.etcd.io/etcd/server/v3", &versions.Etcd},
		{pins.CAPI, providers.CoreModule, &versions.CAPI},
		{pins.CAPI, providers.APIModule, &versions.CAPI},
		{pins.CAPI, providers.TestModule, &versions.CAPI},
		{pins.CertManager, certManagerModule, &versions.CertManager},
	} {
		version, err := tools.Version(pin.module, pin.path)
		if err != nil {
			return Versions{}, err
		}
		if *pin.version != "" && *pin.version != version {
			return Versions{}, fmt.Errorf("%s/go.mod: %s is at %s, other modules of it at %s", pin.module, pin.path, version, *pin.version)
		}
		*pin.version = version
	}
	return versions, nil
}

// Planner makes the list of parts.
type Planner struct {
	Dir      cache.Dir
	Tools    pins.Tools
	Versions Versions
	// Download gets official releases. Nil builds everything from modules.
	Download *download.Client
	// Arch is the machine's architecture, in Go's name.
	Arch string
}

// Parts returns all parts in order.
func (p Planner) Parts() ([]Part, error) {
	var parts []Part
	for _, group := range []func() ([]Part, error){p.kube, p.capi, p.contents, p.extras, p.nodes, p.certManager} {
		more, err := group()
		if err != nil {
			return nil, err
		}
		parts = append(parts, more...)
	}
	return parts, nil
}

// Select returns the parts that only names by name or group, in their order. No
// names select all but what is only for clusters of containers.
func Select(parts []Part, only []string) ([]Part, error) {
	if len(only) == 0 {
		return slices.DeleteFunc(slices.Clone(parts), func(part Part) bool { return part.Group == GroupNode || part.Group == GroupCertManager }), nil
	}
	var names []string
	var selected []Part
	for _, part := range parts {
		if slices.Contains(only, part.Name) || slices.Contains(only, part.Group) {
			selected = append(selected, part)
		}
		names = append(names, part.Name)
		if !slices.Contains(names, part.Group) {
			names = append(names, part.Group)
		}
	}
	slices.Sort(names)
	names = slices.Compact(names)
	for _, name := range only {
		if !slices.Contains(names, name) {
			return nil, fmt.Errorf("no part or group %q: there are %s", name, strings.Join(names, ", "))
		}
	}
	return selected, nil
}
