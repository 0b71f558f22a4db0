// SPDX-License-Identifier: Apache-2.0

package plan

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/mod/semver"

	"github.com/clusterctl/clusterctl/test/tools/parts/internal/download"
	"github.com/clusterctl/clusterctl/test/tools/parts/internal/gobuild"
	"github.com/clusterctl/clusterctl/test/tools/parts/internal/pins"
)

// releases is where Kubernetes' official binaries and their checksums are.
const releases = "https://dl.k8s.io"

func (p Planner) kube() ([]Part, error) {
	etcd, err := p.binary("etcd", GroupKube, p.Dir.Kube(p.Versions.Kubernetes), gobuild.Command{
		Module: p.Tools.Module(pins.Etcd), Package: ".",
	})
	if err != nil {
		return nil, err
	}
	parts := []Part{etcd}
	for _, name := range []string{"kube-apiserver", "kube-controller-manager"} {
		part, err := p.kubeBinary(name, GroupKube)
		if err != nil {
			return nil, err
		}
		parts = append(parts, part)
	}
	return parts, nil
}

func (p Planner) kubeBinary(name, group string) (Part, error) {
	part, err := p.binary(name, group, p.Dir.Kube(p.Versions.Kubernetes), gobuild.Command{
		Module:  p.Tools.Module(pins.Kubernetes),
		Package: "k8s.io/kubernetes/cmd/" + name,
		Set:     versionVariables("k8s.io/component-base/version", p.Versions.Kubernetes),
	})
	if err == nil && p.Download != nil {
		part.Make = p.downloadFirst(part)
	}
	return part, err
}

// downloadFirst makes a Kubernetes binary by download, and only where that
// isn't available by the part's own way.
func (p Planner) downloadFirst(part Part) func(context.Context) (string, error) {
	build, out := part.Make, part.Outputs[0]
	return func(ctx context.Context) (string, error) {
		url := fmt.Sprintf("%s/%s/bin/linux/%s/%s", releases, p.Versions.Kubernetes, p.Arch, part.Name)
		err := p.inTemp(part.Name, out, func(temp string) error { return p.Download.Checked(ctx, url, temp) })
		if errors.Is(err, download.ErrUnavailable) && ctx.Err() == nil {
			return build(ctx)
		}
		return "download", err
	}
}

// binary is a part that is one program, built with the go command.
func (p Planner) binary(name, group, dir string, command gobuild.Command) (Part, error) {
	sources, err := p.Tools.Sources(filepath.Base(command.Module))
	if err != nil {
		return Part{}, err
	}
	out := filepath.Join(dir, name)
	return Part{
		Name: name, Group: group, Outputs: []string{out},
		Inputs: []string{sources, p.Arch, command.Package, strings.Join(command.Args(), " ")},
		Make: func(ctx context.Context) (string, error) {
			return "go build", p.inTemp(name, out, func(temp string) error { return command.Build(ctx, temp) })
		},
	}, nil
}

// inTemp lets write make a file in the temporary folder and moves it to out.
func (p Planner) inTemp(name, out string, write func(temp string) error) error {
	dir, err := p.Dir.TempDir(name)
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	temp := filepath.Join(dir, name)
	if err := write(temp); err != nil {
		return err
	}
	return p.Dir.Place(temp, out)
}

// versionVariables sets the version in a package as Kubernetes and Cluster API
// have it. Without, an API server says v0.0.0.
func versionVariables(pkg, version string) []string {
	major, minor, _ := strings.Cut(strings.TrimPrefix(semver.MajorMinor(version), "v"), ".")
	return []string{
		pkg + ".gitVersion=" + version,
		pkg + ".gitMajor=" + major,
		pkg + ".gitMinor=" + minor,
		pkg + ".gitTreeState=clean",
	}
}
