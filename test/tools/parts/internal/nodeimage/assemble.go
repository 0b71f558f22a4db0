// SPDX-License-Identifier: Apache-2.0

package nodeimage

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	v1 "github.com/google/go-containerregistry/pkg/v1"

	"github.com/clusterctl/clusterctl/test/tools/parts/internal/images"
)

// The names of the images in the engine that only the making of others needs.
const (
	baseImage    = "localhost/clusterctl-parts/node-base:latest"
	buildName    = "clusterctl-parts-node-build"
	runtimeReady = 30 * time.Second
)

// Node says what a node image is made of.
type Node struct {
	Filesystem, SystemImages, Version, Arch string
	Programs                                Programs
	// Images are the names of the system images.
	Images []string
	// Label is set on the image, as NAME=VALUE.
	Label string
}

// Base is the node image without the system images.
func (n Node) Base() (v1.Image, error) {
	system, err := images.TarLayer(n.Filesystem)
	if err != nil {
		return nil, err
	}
	files := []images.File{
		{Path: "kind/version", Mode: 0o644, Content: []byte(n.Version)},
		{Path: "kind/manifests/default-cni.yaml", Mode: 0o644, Content: CNIManifest()},
		{Path: "kind/manifests/default-storage.yaml", Mode: 0o644, Content: []byte(storageManifest)},
		{Path: "usr/local/bin/crictl", Mode: 0o755, Source: filepath.Join(n.Programs.Node, "crictl")},
	}
	for _, name := range []string{"kubeadm", "kubectl", "kubelet"} {
		files = append(files, images.File{Path: "usr/bin/" + name, Mode: 0o755, Source: filepath.Join(n.Programs.Kube, name)})
	}
	programs, err := images.FilesLayer(files)
	if err != nil {
		return nil, err
	}
	return images.FromLayers(n.Arch, v1.Config{
		Env:        []string{searchPath, "container=docker"},
		Entrypoint: []string{"/usr/local/bin/entrypoint", "/sbin/init"},
		StopSignal: "SIGRTMIN+3", // systemd starts anew on SIGTERM.
	}, system, programs)
}

// Assemble makes the node image in the engine and names it. It does what
// kind's own build does: in a container of the base, containerd imports the system
// images, and the container is committed.
func (n Node) Assemble(ctx context.Context, scratch, name string) error {
	base, err := n.Base()
	if err != nil {
		return err
	}
	archive := filepath.Join(scratch, "base.tar")
	if err := images.WriteArchive(archive, map[string]v1.Image{baseImage: base}); err != nil {
		return err
	}
	if err := Load(ctx, archive); err != nil {
		return err
	}
	_ = docker(ctx, nil, "rm", "--force", "--volumes", buildName) // A killed run may have left it.
	if err := docker(ctx, nil, "run", "--detach", "--name", buildName, "--network", "none",
		"--security-opt", "seccomp=unconfined", "--entrypoint", "sleep", baseImage, "infinity"); err != nil {
		return err
	}
	defer func() {
		_ = docker(context.WithoutCancel(ctx), nil, "rm", "--force", "--volumes", buildName)
		_ = docker(context.WithoutCancel(ctx), nil, "rmi", "--no-prune", baseImage) // Its name; its layers are the node image's.
	}()
	if err := n.importImages(ctx); err != nil {
		return err
	}
	old := Inspect(ctx, name, "{{.Id}}")
	if err := docker(ctx, nil, "commit",
		"--change", `ENTRYPOINT ["/usr/local/bin/entrypoint", "/sbin/init"]`, "--change", "CMD []",
		"--change", "LABEL "+n.Label, buildName, name); err != nil {
		return err
	}
	Forget(ctx, old)
	return nil
}

func (n Node) importImages(ctx context.Context) error {
	if err := docker(ctx, nil, "exec", "--detach", buildName, "containerd"); err != nil {
		return err
	}
	ready, cancel := context.WithTimeout(ctx, runtimeReady)
	defer cancel()
	for docker(ready, nil, "exec", buildName, "ctr", "version") != nil {
		if ready.Err() != nil {
			return fmt.Errorf("containerd in the build container: %w", ready.Err())
		}
		time.Sleep(200 * time.Millisecond)
	}
	archive, err := os.Open(n.SystemImages)
	if err != nil {
		return err
	}
	defer archive.Close()
	if err := docker(ctx, archive, "exec", "--interactive", buildName,
		"ctr", "--namespace=k8s.io", "images", "import", "--all-platforms", "--no-unpack", "--digests", "-"); err != nil {
		return err
	}
	out, err := exec.CommandContext(ctx, "docker", "exec", buildName, "ctr", "--namespace=k8s.io", "images", "list", "--quiet").Output()
	if err != nil {
		return fmt.Errorf("list the imported images: %w", err)
	}
	have := "\n" + string(out)
	for _, name := range n.Images {
		if !strings.Contains(have, "\n"+name+"\n") {
			return fmt.Errorf("image %s isn't among the imported ones:%s", name, have)
		}
	}
	return docker(ctx, nil, "exec", buildName, "sh", "-euc",
		"pkill -x containerd; while pgrep -x containerd; do sleep 0.1; done; rm -rf /run/containerd /var/log/*")
}

// Load loads an archive into the engine.
func Load(ctx context.Context, archive string) error {
	return docker(ctx, nil, "load", "--quiet", "--input", archive)
}

// Forget removes an image that has lost its name to another one. It stays where a container uses it.
func Forget(ctx context.Context, id string) {
	if id != "" {
		_ = docker(ctx, nil, "rmi", id)
	}
}

// Inspect returns a value of an image in the engine, or nothing where there is no such image.
func Inspect(ctx context.Context, name, format string) string {
	out, err := exec.CommandContext(ctx, "docker", "image", "inspect", "--format", format, name).Output()
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(out))
}

func docker(ctx context.Context, stdin io.Reader, args ...string) error {
	cmd := exec.CommandContext(ctx, "docker", args...)
	cmd.Stdin = stdin
	if err := run(cmd); err != nil {
		return fmt.Errorf("docker %s: %w", args[0], err)
	}
	return nil
}
