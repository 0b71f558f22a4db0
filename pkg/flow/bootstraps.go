// SPDX-License-Identifier: Apache-2.0

package flow

import (
	"cmp"
	"context"
	"slices"

	"github.com/clusterctl/clusterctl/pkg/bootstrap"
	"github.com/clusterctl/clusterctl/pkg/bootstrap/kind"
	"github.com/clusterctl/clusterctl/pkg/bootstrap/local"
	"github.com/clusterctl/clusterctl/pkg/fault"
	"github.com/clusterctl/clusterctl/pkg/paths"
)

// OpenBootstrap gives the bootstrap cluster of ours that a name and o.Type mean; it touches nothing. Without a type it is
// the one that has the name, and a local one where none has it. It returns an error of class Usage if two have it.
func OpenBootstrap(name string, o BootstrapOptions, h Host) (bootstrap.Cluster, error) {
	if o.auto() {
		there, err := typesOf(name, h.Dirs)
		if err != nil {
			return nil, err
		}
		switch {
		case len(there) > 1:
			return nil, fault.WithHint(fault.Usagef("there are a local and a kind bootstrap cluster called %q", name), "say which one: --type local or --type kind")
		case len(there) == 1:
			o.Type = there[0]
		case o.Kind.given() || o.Kind.MountEngineSocket:
			o.Type = bootstrap.Kind
		default:
			o.Type = bootstrap.Local
		}
	}
	return openBootstrap(BootstrapRecord{Type: o.Type, Name: name}, o, h)
}

// typesOf says which types of bootstrap clusters of ours have a name.
func typesOf(name string, dirs paths.Dirs) ([]bootstrap.Type, error) {
	var out []bootstrap.Type
	locals, err := local.List(dirs)
	if err != nil {
		return nil, err
	}
	if slices.ContainsFunc(locals, func(i bootstrap.Info) bool { return i.Name == name }) {
		out = append(out, bootstrap.Local)
	}
	kinds, err := kind.Names(dirs)
	if slices.Contains(kinds, name) {
		out = append(out, bootstrap.Kind)
	}
	return out, err
}

// ListBootstraps lists the bootstrap clusters of ours on this host, by name. The engine is asked only where there is a kind cluster.
func ListBootstraps(ctx context.Context, dirs paths.Dirs, getenv func(string) string) ([]bootstrap.Info, error) {
	infos, err := local.List(dirs)
	if err != nil {
		return nil, err
	}
	kinds, err := kind.List(ctx, dirs, getenv)
	if err != nil {
		return nil, err
	}
	infos = append(infos, kinds...)
	slices.SortStableFunc(infos, func(a, b bootstrap.Info) int { return cmp.Compare(a.Name, b.Name) })
	return infos, nil
}

// BootstrapNames lists their names; nobody is asked.
func BootstrapNames(dirs paths.Dirs) ([]string, error) {
	locals, err := local.List(dirs)
	if err != nil {
		return nil, err
	}
	names, err := kind.Names(dirs)
	for _, i := range locals {
		names = append(names, i.Name)
	}
	slices.Sort(names)
	return slices.Compact(names), err
}
