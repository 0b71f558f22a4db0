// SPDX-License-Identifier: Apache-2.0

package nodeimage

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"path"
	"path/filepath"
	"strings"

	v1 "github.com/google/go-containerregistry/pkg/v1"

	"github.com/clusterctl/clusterctl/test/tools/parts/internal/images"
)

// searchPath is PATH in the images, as Debian has it.
const searchPath = "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"

// SandboxImage is the name by which kind's configuration of containerd knows
// the image that holds a pod. kubeadm may name another tag.
const SandboxImage = "registry.k8s.io/pause:3.10"

// CNIImage is the image of the network that is installed by default.
const CNIImage = "localhost/clusterctl-parts/cni:v1"

// Programs are the folders of the programs that the images hold: from Kubernetes
// and etcd, and the others.
type Programs struct{ Kube, Node string }

// SystemImages lists the images that a node starts with: the ones that kubeadm
// wants for a version of Kubernetes, and those that are the node image's own.
func SystemImages(ctx context.Context, programs Programs, version string) ([]string, error) {
	kubeadm := filepath.Join(programs.Kube, "kubeadm")
	out, err := exec.CommandContext(ctx, kubeadm, "config", "images", "list", "--kubernetes-version", version).Output()
	if err != nil {
		return nil, fmt.Errorf("kubeadm config images list: %w", err)
	}
	return append(strings.Fields(string(out)), SandboxImage, CNIImage), nil
}

// WriteSystemImages writes those images as one archive.
func WriteSystemImages(ctx context.Context, programs Programs, proxy, version, arch, out string) error {
	names, err := SystemImages(ctx, programs, version)
	if err != nil {
		return err
	}
	made := map[string]v1.Image{}
	for _, full := range names {
		if made[full], err = systemImage(programs, proxy, full, arch); err != nil {
			return fmt.Errorf("image %s: %w", full, err)
		}
	}
	return images.WriteArchive(out, made)
}

// systemImage makes one of the images. Where a Pod names no command, the
// image's entry point counts: for coredns, pause and the network.
func systemImage(programs Programs, proxy, full, arch string) (v1.Image, error) {
	program, _, _ := strings.Cut(path.Base(full), ":")
	file := images.File{Path: "usr/local/bin/" + program, Mode: 0o755, Source: filepath.Join(programs.Kube, program)}
	config := v1.Config{Env: []string{searchPath}, WorkingDir: "/"}
	var layers []v1.Layer
	switch program {
	case "kube-apiserver", "kube-controller-manager", "kube-scheduler", "etcd":
	case "kube-proxy":
		tools, err := images.TarLayer(proxy)
		if err != nil {
			return nil, err
		}
		layers = append(layers, tools)
	case "coredns", "pause", "cni":
		file.Path, file.Source = program, filepath.Join(programs.Node, program)
		config.Entrypoint = []string{"/" + program}
	default:
		return nil, errors.New("there is no program for it")
	}
	layer, err := images.FilesLayer([]images.File{file})
	if err != nil {
		return nil, err
	}
	return images.FromLayers(arch, config, append(layers, layer)...)
}
