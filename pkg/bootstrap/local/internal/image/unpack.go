// SPDX-License-Identifier: Apache-2.0

package image

import (
	"archive/tar"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	v1 "github.com/google/go-containerregistry/pkg/v1"
)

// What an image may hold at most, so that a wrong one can't fill the disk.
const (
	maxBytes   = 4 << 30
	maxEntries = 500_000
)

// whiteout prefixes the name of a file that a layer takes away (OCI image specification, "Layer Filesystem Changeset").
const (
	whiteout = ".wh."
	opaque   = ".wh..wh..opq"
)

// ErrUnsafe says that an image holds what no image should.
var ErrUnsafe = errors.New("unsafe image")

// unpacker writes layers below a root that it can't leave.
type unpacker struct {
	root    *os.Root
	bytes   int64
	entries int
	// own are the paths of the current layer: its whiteouts don't concern them.
	own map[string]bool
}

func unpackLayers(ctx context.Context, img v1.Image, dir string) error {
	layers, err := img.Layers()
	if err != nil {
		return err
	}
	if err := os.Mkdir(dir, 0o755); err != nil {
		return err
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer func() { _ = root.Close() }()
	u := &unpacker{root: root}
	for _, layer := range layers {
		if err := u.layer(ctx, layer); err != nil {
			return err
		}
	}
	return nil
}

func (u *unpacker) layer(ctx context.Context, layer v1.Layer) (err error) {
	content, err := layer.Uncompressed()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, content.Close()) }()
	u.own = map[string]bool{}
	for tr := tar.NewReader(content); ; {
		h, err := tr.Next()
		if errors.Is(err, io.EOF) {
			// Read to the end: that is where the digest is compared.
			_, err = io.Copy(io.Discard, content)
			return err
		}
		if err != nil {
			return fmt.Errorf("read layer: %w", err)
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := u.entry(h, tr); err != nil {
			return fmt.Errorf("unpack %q: %w", h.Name, err)
		}
	}
}

func (u *unpacker) entry(h *tar.Header, r io.Reader) error {
	if u.entries++; u.entries > maxEntries {
		return fmt.Errorf("%w: more than %d files", ErrUnsafe, maxEntries)
	}
	if slices.Contains(strings.Split(filepath.ToSlash(h.Name), "/"), "..") {
		return fmt.Errorf("%w: the path leads out of the image", ErrUnsafe)
	}
	name := strings.TrimPrefix(path.Clean("/"+h.Name), "/")
	if name == "" {
		return nil
	}
	parent, base := path.Dir(name), path.Base(name)
	switch {
	case base == opaque:
		return u.clear(parent)
	case strings.HasPrefix(base, whiteout):
		return u.root.RemoveAll(path.Join(parent, strings.TrimPrefix(base, whiteout)))
	}
	u.own[name] = true
	if err := u.room(name, parent, h.Typeflag == tar.TypeDir); err != nil {
		return err
	}
	return u.write(name, h, r)
}

// clear empties a directory of what the layers below put there.
func (u *unpacker) clear(dir string) error {
	f, err := u.root.Open(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	names, err := f.Readdirnames(-1)
	if err := errors.Join(err, f.Close()); err != nil {
		return err
	}
	for _, name := range names {
		if p := path.Join(dir, name); !u.own[p] {
			if err := u.root.RemoveAll(p); err != nil {
				return err
			}
		}
	}
	return nil
}

// room makes the parent, and takes away what is in the place of the new entry; nothing is ever written through a link.
func (u *unpacker) room(name, parent string, isDir bool) error {
	if err := u.root.MkdirAll(parent, 0o755); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	info, err := u.root.Lstat(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	if info.IsDir() && isDir {
		return nil
	}
	return u.root.RemoveAll(name)
}

func (u *unpacker) write(name string, h *tar.Header, r io.Reader) error {
	mode := fs.FileMode(h.Mode).Perm() &^ 0o022
	switch h.Typeflag {
	case tar.TypeDir:
		if err := u.root.MkdirAll(name, 0o755); err != nil {
			return err
		}
		return u.root.Chmod(name, mode|0o700)
	case tar.TypeReg:
		return u.file(name, mode|0o600, h.Size, r)
	case tar.TypeSymlink:
		return u.root.Symlink(relative(name, h.Linkname), name)
	case tar.TypeLink:
		if slices.Contains(strings.Split(filepath.ToSlash(h.Linkname), "/"), "..") {
			return fmt.Errorf("%w: the link %q leads out of the image", ErrUnsafe, h.Linkname)
		}
		return u.root.Link(strings.TrimPrefix(path.Clean("/"+h.Linkname), "/"), name)
	}
	return nil // Devices, pipes: nothing that a provider's program needs.
}

func (u *unpacker) file(name string, mode fs.FileMode, size int64, r io.Reader) error {
	if u.bytes += size; u.bytes > maxBytes {
		return fmt.Errorf("%w: more than %d GiB", ErrUnsafe, maxBytes>>30)
	}
	f, err := u.root.OpenFile(name, os.O_CREATE|os.O_EXCL|os.O_WRONLY, mode)
	if err != nil {
		return err
	}
	_, err = io.Copy(f, r)
	return errors.Join(err, f.Chmod(mode), f.Close()) // Chmod, because the umask took bits away.
}

// relative makes a link's target relative, as if the image's root were "/": so it means the
// same below any directory, and can't lead out of it.
func relative(name, target string) string {
	dir := path.Join("/", path.Dir(name))
	abs := target
	if !path.IsAbs(target) {
		abs = path.Join(dir, target)
	}
	rel, err := filepath.Rel(dir, path.Clean(abs))
	if err != nil {
		return "."
	}
	return rel
}
