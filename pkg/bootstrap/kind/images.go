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
)

// IsArchive says whether a --load-images value is a file: a path with an archive's ending, or with a separator that leads to a file. An
// absolute path is one also when the file is gone: no image is called so.
func IsArchive(image string) bool {
	if filepath.IsAbs(image) {
		return true
	}
	if strings.HasSuffix(image, ".tar") || strings.HasSuffix(image, ".tar.gz") || strings.HasSuffix(image, ".tgz") {
		return true
	}
	info, err := os.Stat(image)
	return err == nil && info.Mode().IsRegular() && strings.ContainsRune(image, filepath.Separator)
}

// takesImages asks the container runtime of every node.
func (e *cli) takesImages(ctx context.Context, name string) bool {
	all, err := e.kind.ListInternalNodes(name)
	if err != nil || len(all) == 0 {
		return false
	}
	for _, n := range all {
		if n.CommandContext(ctx, "ctr", "version").Run() != nil {
			return false
		}
	}
	return true
}

// load puts an image on all nodes. One out of the engine isn't sent to nodes that have it.
func (e *cli) load(ctx context.Context, name, image string) error {
	all, err := e.kind.ListInternalNodes(name)
	if err != nil {
		return err
	}
	if IsArchive(image) {
		return loadArchive(ctx, all, image)
	}
	return e.loadImage(ctx, all, image)
}

func (e *cli) imageID(ctx context.Context, image string) (string, error) {
	id, err := e.run(ctx, nil, "image", "inspect", "--format", "{{.Id}}", image)
	if err != nil && strings.Contains(strings.ToLower(err.Error()), "no such image") { // The engines say it twice or in other words around it.
		err = fmt.Errorf("%s has no such image", e.bin)
	}
	return strings.TrimSpace(id), err
}

// loadImage takes an image out of the engine for the nodes that don't have it.
func (e *cli) loadImage(ctx context.Context, all []nodes.Node, image string) error {
	id, err := e.imageID(ctx, image)
	if err != nil {
		return err
	}
	var lacking []nodes.Node
	for _, n := range all {
		if has, err := nodeutils.ImageID(n, image); err != nil || has != id {
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
	return loadArchive(ctx, lacking, file)
}

// loadArchive sends a file to each node; kind can't be told to stop in the middle of one.
func loadArchive(ctx context.Context, all []nodes.Node, file string) error {
	for _, n := range all {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
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
