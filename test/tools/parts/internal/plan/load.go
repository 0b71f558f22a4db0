// SPDX-License-Identifier: Apache-2.0

package plan

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/clusterctl/clusterctl/test/tools/parts/internal/cache"
	"github.com/clusterctl/clusterctl/test/tools/parts/internal/images"
	"github.com/clusterctl/clusterctl/test/tools/parts/internal/nodeimage"
	"github.com/clusterctl/clusterctl/test/tools/parts/internal/providers"
)

// keyLabel is the label of a node image that says what it was made from.
const keyLabel = "clusterctl.parts.key"

// Load makes the images in the engine that aren't there, or aren't what the
// cache folder holds. The caller holds the folder's lock.
func (p Planner) Load(ctx context.Context, out io.Writer) error {
	dir := p.Dir.Node(p.Versions.Kubernetes)
	archives := map[string]string{nodeimage.BalancerImage: filepath.Join(dir, "haproxy-image.tar")}
	names := []string{nodeimage.BalancerImage}
	for _, provider := range providers.All() {
		name := provider.ReleasedImage(p.Versions.CAPI)
		names = append(names, name)
		archives[name] = p.providerArchive(provider)
	}
	for _, program := range certManagerPrograms {
		name := p.certManagerImage(program.name)
		names = append(names, name)
		archives[name] = p.certManagerArchive(program.name)
	}
	for _, name := range names {
		if err := loadArchive(ctx, name, archives[name], out); err != nil {
			return err
		}
	}
	return p.loadNode(ctx, out)
}

func loadArchive(ctx context.Context, name, archive string, out io.Writer) error {
	start := time.Now()
	want, err := images.ArchiveID(archive, name)
	if err != nil {
		return err
	}
	old := nodeimage.Inspect(ctx, name, "{{.Id}}")
	if old == want {
		report(out, name, "cached", 0)
		return nil
	}
	if err := nodeimage.Load(ctx, archive); err != nil {
		return err
	}
	if got := nodeimage.Inspect(ctx, name, "{{.Id}}"); got != want {
		return fmt.Errorf("image %s is %s after loading %s, want %s", name, got, archive, want)
	}
	nodeimage.Forget(ctx, old)
	report(out, name, "docker load", time.Since(start))
	return nil
}

func (p Planner) loadNode(ctx context.Context, out io.Writer) error {
	start, name, dir := time.Now(), nodeimage.Image(p.Versions.Kubernetes), p.Dir.Node(p.Versions.Kubernetes)
	key, err := p.nodeKey()
	if err != nil {
		return err
	}
	if nodeimage.Inspect(ctx, name, `{{index .Config.Labels "`+keyLabel+`"}}`) == key {
		report(out, name, "cached", 0)
		return nil
	}
	system, err := nodeimage.SystemImages(ctx, p.programs(), p.Versions.Kubernetes)
	if err != nil {
		return err
	}
	scratch, err := p.Dir.TempDir("node")
	if err != nil {
		return err
	}
	defer os.RemoveAll(scratch)
	node := nodeimage.Node{
		Filesystem: nodeimage.In(dir).Node, SystemImages: filepath.Join(dir, "system-images.tar"),
		Version: p.Versions.Kubernetes, Arch: p.Arch, Programs: p.programs(), Images: system, Label: keyLabel + "=" + key,
	}
	if err := node.Assemble(ctx, scratch, name); err != nil {
		return fmt.Errorf("make %s: %w", name, err)
	}
	report(out, name, "assembled", time.Since(start))
	return nil
}

// nodeKey is the key of everything that the node image depends on.
func (p Planner) nodeKey() (string, error) {
	parts, err := p.Parts()
	if err != nil {
		return "", err
	}
	inputs := []string{nodeRecipe, nodeimage.Manifests()}
	for _, part := range parts {
		if part.Group == GroupNode || part.Group == GroupKube || part.Name == "kubectl" {
			inputs = append(inputs, part.Name, strings.Join(part.Inputs, " "))
		}
	}
	return cache.Key(inputs...), nil
}
