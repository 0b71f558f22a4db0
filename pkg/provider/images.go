// SPDX-License-Identifier: Apache-2.0

package provider

import (
	"fmt"
	"strings"

	"github.com/google/go-containerregistry/pkg/name"

	"github.com/clusterctl/clusterctl/pkg/manifest"
)

const imagesAll = "all"

// ImageOverride says what to change in an image reference; empty fields change nothing.
type ImageOverride struct {
	// Repository is the registry and path without the image's own name.
	Repository string
	// Name is the image's own name.
	Name string
	// Tag takes the place of the tag, and of a digest, which belongs to the old tag.
	Tag string

	origin manifest.Origin
}

// check finds values that can't be part of a reference before they get into one.
func (o ImageOverride) check() error {
	repo, img, tag := o.Repository, o.Name, o.Tag
	if repo == "" {
		repo = "registry.example"
	}
	if img == "" {
		img = "name"
	}
	if tag == "" {
		tag = "tag"
	}
	if strings.ContainsAny(img, "/:@") {
		return fmt.Errorf("name %q is only the last part of an image's name", o.Name)
	}
	_, err := name.NewTag(repo + "/" + img + ":" + tag)
	return err
}

// MapImage applies the overrides for a component, a provider's label or "cert-manager", to an image reference.
// Overrides for all, for the component and for this one image add up; the more specific one wins.
func (c *Config) MapImage(component, image string) (string, error) {
	ref, err := parseImage(image)
	if err != nil {
		return "", err
	}
	var o ImageOverride
	for _, key := range []string{imagesAll, component, component + "/" + ref.name} {
		o = o.with(c.images[key])
	}
	if o == (ImageOverride{}) {
		return image, nil
	}
	return ref.apply(o).String(), nil
}

func (o ImageOverride) with(more ImageOverride) ImageOverride {
	if more.Repository != "" {
		o.Repository = more.Repository
	}
	if more.Name != "" {
		o.Name = more.Name
	}
	if more.Tag != "" {
		o.Tag = more.Tag
	}
	return o
}

// imageRef is a reference in its parts, without a default registry or tag filled in.
type imageRef struct{ repository, name, tag, digest string }

func parseImage(image string) (imageRef, error) {
	if _, err := name.ParseReference(image); err != nil {
		return imageRef{}, fmt.Errorf("image %q: %w", image, err)
	}
	var r imageRef
	rest, digest, _ := strings.Cut(image, "@")
	r.digest = digest
	if i := strings.LastIndex(rest, ":"); i > strings.LastIndex(rest, "/") {
		rest, r.tag = rest[:i], rest[i+1:]
	}
	if i := strings.LastIndex(rest, "/"); i >= 0 {
		r.repository, rest = rest[:i], rest[i+1:]
	}
	r.name = rest
	return r, nil
}

func (r imageRef) apply(o ImageOverride) imageRef {
	if o.Repository != "" {
		r.repository = o.Repository
	}
	if o.Name != "" {
		r.name = o.Name
	}
	if o.Tag != "" {
		r.tag, r.digest = o.Tag, ""
	}
	return r
}

func (r imageRef) String() string {
	s := r.name
	if r.repository != "" {
		s = r.repository + "/" + s
	}
	if r.tag != "" {
		s += ":" + r.tag
	}
	if r.digest != "" {
		s += "@" + r.digest
	}
	return s
}
