// SPDX-License-Identifier: Apache-2.0

package kind

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"sigs.k8s.io/kind/pkg/cluster/nodes"
	"sigs.k8s.io/kind/pkg/cluster/nodeutils"

	"github.com/clusterctl/clusterctl/pkg/fault"
)

// IsArchive says whether a --load-images value is a file: a path with an archive's ending, or with a separator that leads to a file.
func IsArchive(image string) bool {
	if strings.HasSuffix(image, ".tar") || strings.HasSuffix(image, ".tar.gz") || strings.HasSuffix(image, ".tgz") {
		return true
	}
	info, err := os.Stat(image)
	return err == nil && info.Mode().IsRegular() && strings.ContainsRune(image, filepath.Separator)
}

// load puts images on all nodes. Those that a node has already aren't sent again.
func (e *cli) load(ctx context.Context, name string, images []string) error {
	all, err := e.kind.ListInternalNodes(name)
	if err != nil {
		return err
	}
	for _, image := range images {
		if err := ctx.Err(); err != nil {
			return context.Cause(ctx)
		}
		if IsArchive(image) {
			err = loadArchive(all, image)
		} else {
			err = e.loadImage(ctx, all, image)
		}
		if err != nil {
			return fmt.Errorf("load image %s: %w", image, err)
		}
	}
	return nil
}

// loadImage takes an image out of the engine for the nodes that don't have it.
func (e *cli) loadImage(ctx context.Context, all []nodes.Node, image string) error {
	id, err := e.run(ctx, nil, "image", "inspect", "--format", "{{.Id}}", image)
	if err != nil {
		return fault.WithHint(fault.WithCode(fault.Refused, err), "build or pull it first: %s pull %s", e.bin, image)
	}
	var lacking []nodes.Node
	for _, n := range all {
		if has, err := nodeutils.ImageID(n, image); err != nil || has != strings.TrimSpace(id) {
			lacking = append(lacking, n)
		}
	}
	if len(lacking) == 0 {
		return nil
	}
	dir, err := os.MkdirTemp("", "clusterctl-image-*")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	file := filepath.Join(dir, "image.tar")
	if _, err := e.run(ctx, nil, "save", "--output", file, image); err != nil {
		return err
	}
	return loadArchive(lacking, file)
}

func loadArchive(all []nodes.Node, file string) error {
	for _, n := range all {
		f, err := os.Open(file)
		if err != nil {
			return err
		}
		err = nodeutils.LoadImageArchive(n, f)
		_ = f.Close()
		if err != nil {
			return fmt.Errorf("onto node %s: %w", n, err)
		}
	}
	return nil
}
