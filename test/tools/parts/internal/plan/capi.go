// SPDX-License-Identifier: Apache-2.0

package plan

import (
	"context"
	"os"
	"path/filepath"
	"strings"

	"github.com/clusterctl/clusterctl/test/tools/parts/internal/components"
	"github.com/clusterctl/clusterctl/test/tools/parts/internal/gobuild"
	"github.com/clusterctl/clusterctl/test/tools/parts/internal/images"
	"github.com/clusterctl/clusterctl/test/tools/parts/internal/pins"
	"github.com/clusterctl/clusterctl/test/tools/parts/internal/providers"
)

// recipe is part of the inputs of what this program itself makes. Count it up
// whenever the same inputs shall give another result.
const recipe = "1"

func (p Planner) capi() ([]Part, error) {
	var parts []Part
	for _, provider := range providers.All() {
		part, err := p.capiBinary(provider.Binary, GroupCAPI, provider.Package())
		if err != nil {
			return nil, err
		}
		parts = append(parts, part)
	}
	return parts, nil
}

// extras are kubectl, and upstream's clusterctl to measure against.
func (p Planner) extras() ([]Part, error) {
	kubectl, err := p.kubeBinary("kubectl", GroupExtras)
	if err != nil {
		return nil, err
	}
	clusterctl, err := p.capiBinary("clusterctl-upstream", GroupExtras, providers.CoreModule+"/cmd/clusterctl")
	return []Part{kubectl, clusterctl}, err
}

func (p Planner) capiBinary(name, group, pkg string) (Part, error) {
	return p.binary(name, group, p.Dir.CAPIBin(p.Versions.CAPI), gobuild.Command{
		Module:  p.Tools.Module(pins.CAPI),
		Package: pkg,
		Set:     versionVariables(providers.CoreModule+"/version", p.Versions.CAPI),
	})
}

// contents are the parts that this program makes itself.
func (p Planner) contents() ([]Part, error) {
	capi, err := p.Tools.Sources(pins.CAPI)
	if err != nil {
		return nil, err
	}
	own, err := p.Tools.Sources(pins.Parts) // The kustomize and image libraries.
	if err != nil {
		return nil, err
	}
	repository := Part{
		Name: "repository", Group: GroupRepository, Inputs: []string{recipe, capi, own},
		Make: func(ctx context.Context) (string, error) { return "kustomize", p.makeRepository(ctx) },
	}
	layout := Part{
		Name: "images", Group: GroupImages, Inputs: []string{recipe, own, p.Arch},
		Outputs: []string{p.Dir.Images(p.Versions.CAPI)},
		Make:    func(ctx context.Context) (string, error) { return "image layout", p.makeImages() },
	}
	for _, provider := range providers.All() {
		repository.Outputs = append(repository.Outputs, provider.Dir(p.Dir.Repository(), p.Versions.CAPI))
		binary, err := p.capiBinary(provider.Binary, GroupCAPI, provider.Package())
		if err != nil {
			return nil, err
		}
		layout.Inputs = append(layout.Inputs, strings.Join(binary.Inputs, " "))
	}
	return []Part{repository, layout}, nil
}

// makeRepository writes each provider's folder of the repository.
func (p Planner) makeRepository(ctx context.Context) error {
	module := p.Tools.Module(pins.CAPI)
	roots := map[string]string{}
	for _, path := range []string{providers.CoreModule, providers.TestModule} {
		root, err := gobuild.ModuleDir(ctx, module, path)
		if err != nil {
			return err
		}
		roots[path] = root
	}
	metadata, err := os.ReadFile(filepath.Join(roots[providers.CoreModule], "metadata.yaml"))
	if err != nil {
		return err
	}
	for _, provider := range providers.All() {
		files, err := components.Release(provider, roots[provider.Module], p.Versions.CAPI, metadata)
		if err != nil {
			return err
		}
		if err := p.placeFolder(provider.Dir(p.Dir.Repository(), p.Versions.CAPI), files); err != nil {
			return err
		}
	}
	return nil
}

// placeFolder writes files into a new folder and moves it to path.
func (p Planner) placeFolder(path string, files map[string][]byte) error {
	temp, err := p.Dir.TempDir("folder")
	if err != nil {
		return err
	}
	defer os.RemoveAll(temp)
	folder := filepath.Join(temp, "new")
	if err := os.Mkdir(folder, 0o755); err != nil {
		return err
	}
	for name, data := range files {
		if err := os.WriteFile(filepath.Join(folder, name), data, 0o644); err != nil {
			return err
		}
	}
	return p.Dir.Place(folder, path)
}

// makeImages writes the image layout of the managers.
func (p Planner) makeImages() error {
	var sources []images.Source
	for _, provider := range providers.All() {
		sources = append(sources, images.Source{
			Name:   provider.ServedImage(p.Versions.CAPI),
			Binary: filepath.Join(p.Dir.CAPIBin(p.Versions.CAPI), provider.Binary),
			User:   provider.User,
		})
	}
	return p.inTemp("images", p.Dir.Images(p.Versions.CAPI), func(temp string) error {
		return images.WriteLayout(temp, p.Arch, sources)
	})
}
