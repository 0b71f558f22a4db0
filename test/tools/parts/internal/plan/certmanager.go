// SPDX-License-Identifier: Apache-2.0

package plan

import (
	"bytes"
	"context"
	"path/filepath"
	"strings"

	v1 "github.com/google/go-containerregistry/pkg/v1"

	"github.com/clusterctl/clusterctl/test/tools/parts/internal/gobuild"
	"github.com/clusterctl/clusterctl/test/tools/parts/internal/images"
	"github.com/clusterctl/clusterctl/test/tools/parts/internal/pins"
)

// The module of cert-manager, where a release has its images, and the user that they name.
const (
	certManagerModule   = "github.com/cert-manager/cert-manager"
	certManagerRegistry = "quay.io/jetstack"
	certManagerUser     = "1000"
)

// certManagerPrograms are the programs of cert-manager, by their images' names.
var certManagerPrograms = []struct{ name, command string }{ //nolint:gochecknoglobals // constant
	{"cert-manager-controller", "controller"},
	{"cert-manager-webhook", "webhook"},
	{"cert-manager-cainjector", "cainjector"},
}

// certManager are its programs, their images as archives, and the manifest of the release.
func (p Planner) certManager() ([]Part, error) {
	version := p.Versions.CertManager
	module, dir := p.Tools.Module(pins.CertManager), p.Dir.CertManager(version)
	own, err := p.Tools.Sources(pins.Parts)
	if err != nil {
		return nil, err
	}
	sources, err := p.Tools.Sources(pins.CertManager)
	if err != nil {
		return nil, err
	}
	archives := Part{
		Name: "cert-manager-archives", Group: GroupCertManager, Inputs: []string{recipe, own, p.Arch},
		Make: func(context.Context) (string, error) { return "archive", p.makeCertManagerArchives() },
	}
	var parts []Part
	for _, program := range certManagerPrograms {
		part, err := p.binary(program.name, GroupCertManager, filepath.Join(dir, "bin"), gobuild.Command{
			Module: module, Package: certManagerModule + "/cmd/" + program.command,
			Set: []string{certManagerModule + "/pkg/util.AppVersion=" + version},
		})
		if err != nil {
			return nil, err
		}
		parts = append(parts, part)
		archives.Inputs = append(archives.Inputs, strings.Join(part.Inputs, " "))
		archives.Outputs = append(archives.Outputs, p.certManagerArchive(program.name))
	}
	manifest := filepath.Join(dir, "cert-manager.yaml")
	return append(parts, archives, Part{
		Name: "cert-manager-manifest", Group: GroupCertManager, Inputs: []string{recipe, sources}, Outputs: []string{manifest},
		Make: func(ctx context.Context) (string, error) {
			root, err := gobuild.ModuleDir(ctx, module, certManagerModule)
			if err != nil {
				return "", err
			}
			var text bytes.Buffer
			if err := (gobuild.Command{Module: module, Package: "."}).Run(ctx, &text, root, version); err != nil {
				return "", err
			}
			return "helm", p.Dir.WriteFile(manifest, text.Bytes(), 0o644)
		},
	}), nil
}

// certManagerImage is a program's image by its released name.
func (p Planner) certManagerImage(name string) string {
	return certManagerRegistry + "/" + name + ":" + p.Versions.CertManager
}

func (p Planner) certManagerArchive(name string) string {
	return filepath.Join(p.Dir.CertManager(p.Versions.CertManager), name+".tar")
}

func (p Planner) makeCertManagerArchives() error {
	for _, program := range certManagerPrograms {
		binary := filepath.Join(p.Dir.CertManager(p.Versions.CertManager), "bin", program.name)
		err := p.inTemp("archive", p.certManagerArchive(program.name), func(temp string) error {
			image, err := images.FromBinary(binary, p.Arch, certManagerUser)
			if err != nil {
				return err
			}
			return images.WriteArchive(temp, map[string]v1.Image{p.certManagerImage(program.name): image})
		})
		if err != nil {
			return err
		}
	}
	return nil
}
