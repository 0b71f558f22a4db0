// SPDX-License-Identifier: Apache-2.0

package plan

import (
	"context"
	"os"
	"path/filepath"
	"strings"

	"github.com/clusterctl/clusterctl/test/tools/parts/internal/gobuild"
	"github.com/clusterctl/clusterctl/test/tools/parts/internal/images"
	"github.com/clusterctl/clusterctl/test/tools/parts/internal/nodeimage"
	"github.com/clusterctl/clusterctl/test/tools/parts/internal/pins"
	"github.com/clusterctl/clusterctl/test/tools/parts/internal/providers"
)

// RuncFrontEnd is the part that stands before runc on some machines.
const RuncFrontEnd = "runc"

// kindModule holds the files that kind adds to a node's packages.
const kindModule = "sigs.k8s.io/kind"

// nodeRecipe is as recipe, for what is made here. Count it up whenever the same
// inputs shall give another result.
const nodeRecipe = "1"

// nodes are the parts that images of nodes are made of.
func (p Planner) nodes() ([]Part, error) {
	parts, err := p.nodePrograms()
	if err != nil {
		return nil, err
	}
	node, err := p.Tools.Sources(pins.Node)
	if err != nil {
		return nil, err
	}
	files := nodeimage.In(p.Dir.Node(p.Versions.Kubernetes))
	parts = append(parts, Part{
		Name: "node-filesystems", Group: GroupNode,
		Inputs:  append([]string{nodeRecipe, node, p.Arch}, nodeimage.Recipe()...),
		Outputs: []string{files.Node, files.Proxy, files.Balancer},
		Make:    func(ctx context.Context) (string, error) { return "debootstrap", p.makeFilesystems(ctx, files) },
	})
	archives, err := p.archives(parts)
	return append(parts, archives...), err
}

// nodePrograms are the programs on a node that aren't on a machine without nodes.
func (p Planner) nodePrograms() ([]Part, error) {
	var parts []Part
	for _, name := range []string{"kube-scheduler", "kube-proxy", "kubeadm", "kubelet"} {
		part, err := p.kubeBinary(name, GroupNode)
		if err != nil {
			return nil, err
		}
		parts = append(parts, part)
	}
	for _, program := range []struct{ name, module, pkg string }{
		{"coredns", pins.CoreDNS, "."},
		{"crictl", pins.Node, "sigs.k8s.io/cri-tools/cmd/crictl"},
		{"pause", pins.Node, "./pause"},
		{"cni", pins.Node, "./cni"},
		{RuncFrontEnd, pins.Node, "./runc"},
	} {
		dir := p.Dir.NodeBin(p.Versions.Kubernetes)
		if program.name == RuncFrontEnd {
			dir = p.Dir.EngineBin() // A folder of its own: it is in the PATH of the engine.
		}
		command := gobuild.Command{Module: p.Tools.Module(program.module), Package: program.pkg}
		part, err := p.binary(program.name, GroupNode, dir, command)
		if err != nil {
			return nil, err
		}
		parts = append(parts, part)
	}
	return parts, nil
}

// makeFilesystems makes the file systems aside and moves them to their places.
func (p Planner) makeFilesystems(ctx context.Context, out nodeimage.Filesystems) error {
	kind, err := gobuild.ModuleDir(ctx, p.Tools.Module(pins.Node), kindModule)
	if err != nil {
		return err
	}
	temp, err := p.Dir.TempDir("filesystems")
	if err != nil {
		return err
	}
	defer os.RemoveAll(temp)
	made := nodeimage.In(filepath.Join(temp, "out"))
	if err := nodeimage.MakeFilesystems(ctx, kind, temp, made); err != nil {
		return err
	}
	for from, to := range map[string]string{made.Node: out.Node, made.Proxy: out.Proxy, made.Balancer: out.Balancer} {
		if err := p.Dir.Place(from, to); err != nil {
			return err
		}
	}
	return nil
}

// archives are the images, in files, and the network's manifest.
func (p Planner) archives(programs []Part) ([]Part, error) {
	own, err := p.Tools.Sources(pins.Parts)
	if err != nil {
		return nil, err
	}
	kube, err := p.kube()
	if err != nil {
		return nil, err
	}
	inputs := []string{nodeRecipe, own, p.Arch}
	for _, part := range append(kube, programs...) {
		inputs = append(inputs, strings.Join(part.Inputs, " "))
	}
	dir := p.Dir.Node(p.Versions.Kubernetes)
	system, balancer, manifest := filepath.Join(dir, "system-images.tar"), filepath.Join(dir, "haproxy-image.tar"), filepath.Join(dir, "cni.yaml")
	parts := []Part{
		{
			Name: "node-system-images", Group: GroupNode, Inputs: inputs, Outputs: []string{system},
			Make: func(ctx context.Context) (string, error) {
				return "archive", p.inTemp("system-images", system, func(temp string) error {
					return nodeimage.WriteSystemImages(ctx, p.programs(), nodeimage.In(dir).Proxy, p.Versions.Kubernetes, p.Arch, temp)
				})
			},
		},
		{
			Name: "haproxy-image", Group: GroupNode, Inputs: inputs, Outputs: []string{balancer},
			Make: func(context.Context) (string, error) {
				return "archive", p.inTemp("haproxy", balancer, func(temp string) error {
					return nodeimage.WriteBalancer(nodeimage.In(dir).Balancer, p.Arch, temp)
				})
			},
		},
		{
			Name: "cni-addon", Group: GroupNode, Inputs: []string{string(nodeimage.CNIManifest())}, Outputs: []string{manifest},
			Make: func(context.Context) (string, error) {
				return "manifest", p.Dir.WriteFile(manifest, nodeimage.CNIManifest(), 0o644)
			},
		},
	}
	providerArchives, err := p.providerArchives(own)
	return append(parts, providerArchives), err
}

// programs are where the programs of a node are.
func (p Planner) programs() nodeimage.Programs {
	return nodeimage.Programs{Kube: p.Dir.Kube(p.Versions.Kubernetes), Node: p.Dir.NodeBin(p.Versions.Kubernetes)}
}

// providerArchives are the providers' images by the names that their components use.
func (p Planner) providerArchives(own string) (Part, error) {
	contents, err := p.contents()
	if err != nil {
		return Part{}, err
	}
	part := Part{
		Name: "provider-archives", Group: GroupNode, Inputs: []string{nodeRecipe, own},
		Make: func(context.Context) (string, error) { return "archive", p.makeProviderArchives() },
	}
	for _, content := range contents {
		if content.Group == GroupImages {
			part.Inputs = append(part.Inputs, content.Inputs...)
		}
	}
	for _, provider := range providers.All() {
		part.Outputs = append(part.Outputs, p.providerArchive(provider))
	}
	return part, nil
}

func (p Planner) providerArchive(provider providers.Provider) string {
	return filepath.Join(p.Dir.Archives(p.Versions.CAPI), provider.Image+".tar")
}

func (p Planner) makeProviderArchives() error {
	for _, provider := range providers.All() {
		served, full := provider.ServedImage(p.Versions.CAPI), provider.ReleasedImage(p.Versions.CAPI)
		err := p.inTemp("archive", p.providerArchive(provider), func(temp string) error {
			return images.ArchiveLayout(p.Dir.Images(p.Versions.CAPI), served, full, temp)
		})
		if err != nil {
			return err
		}
	}
	return nil
}
