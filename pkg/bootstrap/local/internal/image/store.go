// SPDX-License-Identifier: Apache-2.0

// Package image turns container images into directories whose programs can be run on this host.
package image

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"

	"github.com/google/go-containerregistry/pkg/authn"
	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/remote"
	"github.com/google/go-containerregistry/pkg/v1/types"

	"github.com/clusterctl/clusterctl/pkg/bootstrap/local/internal/layout"
)

// ErrPlatform says that an image has no programs for this host.
var ErrPlatform = errors.New("image isn't for this platform")

// Store is a cache of unpacked images by digest.
type Store struct {
	// Dir is where it is.
	Dir string
	// Keychain has the registries' credentials; nil means none.
	Keychain authn.Keychain
}

// Image is an unpacked image.
type Image struct {
	// Digest is the digest of its manifest.
	Digest string
	// Root is the directory of its files.
	Root string
	// Config says what to run in it.
	Config v1.Config
	// dir holds Root and what is known about the image.
	dir string
}

// resolved is what a reference meant when it was last looked up.
type resolved struct {
	Reference string `json:"reference"`
	Digest    string `json:"digest"`
}

// Get returns the image that ref names, pulled if need be. With always, a reference that was pulled
// before is looked up again; if the registry can't be reached then, what it meant before is used.
func (s Store) Get(ctx context.Context, ref string, always bool) (*Image, error) {
	parsed, err := name.ParseReference(ref)
	if err != nil {
		return nil, fmt.Errorf("read image reference %q: %w", ref, err)
	}
	cached, cachedErr := s.cached(parsed)
	if cachedErr == nil && (!always || isDigest(parsed)) {
		return cached, nil
	}
	img, err := s.pull(ctx, parsed)
	if err != nil && cachedErr == nil && ctx.Err() == nil && !errors.Is(err, ErrPlatform) {
		return cached, nil
	}
	if err != nil {
		return nil, fmt.Errorf("pull image %s: %w", ref, err)
	}
	return img, nil
}

func isDigest(ref name.Reference) bool {
	_, ok := ref.(name.Digest)
	return ok
}

func (s Store) refFile(ref name.Reference) string {
	sum := sha256.Sum256([]byte(ref.Name() + " " + runtime.GOARCH))
	return filepath.Join(s.Dir, "refs", hex.EncodeToString(sum[:16])+".json")
}

func (s Store) cached(ref name.Reference) (*Image, error) {
	var r resolved
	if err := layout.ReadJSON(s.refFile(ref), &r); err != nil {
		return nil, err
	}
	hash, err := v1.NewHash(r.Digest)
	if err != nil {
		return nil, err
	}
	return s.open(hash)
}

// open opens an unpacked image.
func (s Store) open(digest v1.Hash) (*Image, error) {
	dir := filepath.Join(s.Dir, digest.Algorithm+"-"+digest.Hex)
	img := &Image{Digest: digest.String(), Root: filepath.Join(dir, "rootfs"), dir: dir}
	return img, layout.ReadJSON(filepath.Join(dir, "config.json"), &img.Config)
}

func (s Store) pull(ctx context.Context, ref name.Reference) (*Image, error) {
	opts := []remote.Option{remote.WithContext(ctx), remote.WithUserAgent("clusterctl")}
	if s.Keychain != nil {
		opts = append(opts, remote.WithAuthFromKeychain(s.Keychain))
	}
	desc, err := remote.Get(ref, opts...)
	if err != nil {
		return nil, err
	}
	img, err := choose(desc)
	if err != nil {
		return nil, err
	}
	digest, err := img.Digest()
	if err != nil {
		return nil, err
	}
	unpacked, err := s.open(digest)
	if errors.Is(err, fs.ErrNotExist) {
		if err = s.unpack(ctx, img, digest); err == nil {
			unpacked, err = s.open(digest)
		}
	}
	if err != nil {
		return nil, err
	}
	if err := os.MkdirAll(filepath.Join(s.Dir, "refs"), 0o700); err != nil {
		return nil, err
	}
	return unpacked, layout.WriteJSON(s.refFile(ref), resolved{Reference: ref.Name(), Digest: digest.String()})
}

// choose picks this platform's image.
func choose(desc *remote.Descriptor) (v1.Image, error) {
	if desc.MediaType.IsIndex() {
		return fromIndex(desc)
	}
	if desc.MediaType == types.DockerManifestSchema1 || desc.MediaType == types.DockerManifestSchema1Signed {
		return nil, fmt.Errorf("manifest type %s is too old", desc.MediaType)
	}
	img, err := desc.Image()
	if err != nil {
		return nil, err
	}
	config, err := img.ConfigFile()
	if err != nil {
		return nil, err
	}
	// An image that says nothing gets the benefit of the doubt: its program is looked at before it is started.
	if config.OS != "" && config.OS != "linux" || config.Architecture != "" && config.Architecture != runtime.GOARCH {
		return nil, fmt.Errorf("%w: it is for %s/%s, this host needs linux/%s", ErrPlatform, config.OS, config.Architecture, runtime.GOARCH)
	}
	return img, nil
}

func fromIndex(desc *remote.Descriptor) (v1.Image, error) {
	index, err := desc.ImageIndex()
	if err != nil {
		return nil, err
	}
	manifest, err := index.IndexManifest()
	if err != nil {
		return nil, err
	}
	var has []string
	for _, m := range manifest.Manifests {
		if m.Platform == nil || !m.MediaType.IsImage() {
			continue
		}
		if m.Platform.OS == "linux" && m.Platform.Architecture == runtime.GOARCH {
			return index.Image(m.Digest)
		}
		has = append(has, m.Platform.OS+"/"+m.Platform.Architecture)
	}
	return nil, fmt.Errorf("%w: it is for %v, this host needs linux/%s", ErrPlatform, has, runtime.GOARCH)
}

// unpack writes the image's files to their place: all of them, or nothing.
func (s Store) unpack(ctx context.Context, img v1.Image, digest v1.Hash) error {
	config, err := img.ConfigFile()
	if err != nil {
		return err
	}
	if err := os.MkdirAll(s.Dir, 0o700); err != nil {
		return err
	}
	tmp, err := os.MkdirTemp(s.Dir, ".unpack-*")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(tmp) }()
	if err := unpackLayers(ctx, img, filepath.Join(tmp, "rootfs")); err != nil {
		return err
	}
	if err := layout.WriteJSON(filepath.Join(tmp, "config.json"), config.Config); err != nil {
		return err
	}
	final := filepath.Join(s.Dir, digest.Algorithm+"-"+digest.Hex)
	if err := os.Rename(tmp, final); err != nil {
		if _, openErr := s.open(digest); openErr == nil {
			return nil // Somebody else was faster.
		}
		return err
	}
	return nil
}
