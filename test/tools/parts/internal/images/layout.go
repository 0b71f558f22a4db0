// SPDX-License-Identifier: Apache-2.0

package images

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/layout"
)

// nameAnnotation holds an image's name in the index of a layout, as the OCI
// image layout specification has it.
const nameAnnotation = "org.opencontainers.image.ref.name"

// Source is one image to make.
type Source struct {
	// Name is the image's name with a tag, without a registry.
	Name string
	// Binary is the static binary that it holds.
	Binary string
	// User is the user that it runs as.
	User string
}

// WriteLayout makes the images for arch and writes them as one OCI image layout into dir.
func WriteLayout(dir, arch string, sources []Source) error {
	path, err := layout.Write(dir, empty.Index)
	if err != nil {
		return fmt.Errorf("write an image layout: %w", err)
	}
	for _, source := range sources {
		image, err := FromBinary(source.Binary, arch, source.User)
		if err != nil {
			return err
		}
		err = path.AppendImage(image,
			layout.WithAnnotations(map[string]string{nameAnnotation: source.Name}),
			layout.WithPlatform(v1.Platform{OS: "linux", Architecture: arch}))
		if err != nil {
			return fmt.Errorf("write image %s: %w", source.Name, err)
		}
	}
	return nil
}

// named is an image of a layout.
type named struct {
	name  string
	image v1.Image
}

// readLayout returns the images in the layout at dir that have a name.
func readLayout(dir string) ([]named, error) {
	if _, err := os.Stat(filepath.Join(dir, "index.json")); errors.Is(err, os.ErrNotExist) {
		return nil, fmt.Errorf("no images in %s: run `parts build` first", dir)
	}
	index, err := layout.ImageIndexFromPath(dir)
	if err != nil {
		return nil, fmt.Errorf("read the image layout %s: %w", dir, err)
	}
	manifest, err := index.IndexManifest()
	if err != nil {
		return nil, fmt.Errorf("read the image layout %s: %w", dir, err)
	}
	var images []named
	for _, entry := range manifest.Manifests {
		name := entry.Annotations[nameAnnotation]
		if name == "" {
			continue
		}
		image, err := index.Image(entry.Digest)
		if err != nil {
			return nil, fmt.Errorf("read image %s: %w", name, err)
		}
		images = append(images, named{name, image})
	}
	return images, nil
}
