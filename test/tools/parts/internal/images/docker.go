// SPDX-License-Identifier: Apache-2.0

package images

import (
	"archive/tar"
	"compress/gzip"
	"fmt"
	"io"
	"os"

	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/tarball"
)

// File is one file of a layer.
type File struct {
	// Path is where it is in the image, without a leading slash.
	Path string
	// Source is the file with its content, or Content is it.
	Source  string
	Content []byte
	Mode    int64
}

// compression is fast: these images are only carried around on this host.
func compression() tarball.LayerOption { return tarball.WithCompressionLevel(gzip.BestSpeed) }

// TarLayer is a layer that a tar file holds.
func TarLayer(path string) (v1.Layer, error) {
	layer, err := tarball.LayerFromFile(path, compression(), tarball.WithCompressedCaching)
	if err != nil {
		return nil, fmt.Errorf("make a layer of %s: %w", path, err)
	}
	return layer, nil
}

// FilesLayer is a layer of some files, owned by root.
func FilesLayer(files []File) (v1.Layer, error) {
	open := func() (io.ReadCloser, error) {
		reader, writer := io.Pipe()
		go func() { writer.CloseWithError(writeFiles(writer, files)) }()
		return reader, nil
	}
	layer, err := tarball.LayerFromOpener(open, compression(), tarball.WithCompressedCaching)
	if err != nil {
		return nil, fmt.Errorf("make a layer: %w", err)
	}
	return layer, nil
}

func writeFiles(out io.Writer, files []File) error {
	writer := tar.NewWriter(out)
	for _, file := range files {
		if err := writeOne(writer, file); err != nil {
			return fmt.Errorf("%s: %w", file.Path, err)
		}
	}
	return writer.Close()
}

func writeOne(writer *tar.Writer, file File) error {
	header := &tar.Header{
		Typeflag: tar.TypeReg, Name: file.Path, Mode: file.Mode, Size: int64(len(file.Content)), ModTime: epoch, Format: tar.FormatUSTAR,
	}
	if file.Source == "" {
		if err := writer.WriteHeader(header); err != nil {
			return err
		}
		_, err := writer.Write(file.Content)
		return err
	}
	source, err := os.Open(file.Source)
	if err != nil {
		return err
	}
	defer source.Close()
	info, err := source.Stat()
	if err != nil {
		return err
	}
	header.Size = info.Size()
	if err := writer.WriteHeader(header); err != nil {
		return err
	}
	_, err = io.Copy(writer, source)
	return err
}

// FromLayers is an image of layers, in Docker's format.
func FromLayers(arch string, config v1.Config, layers ...v1.Layer) (v1.Image, error) {
	image, err := mutate.AppendLayers(empty.Image, layers...)
	if err != nil {
		return nil, err
	}
	file, err := image.ConfigFile()
	if err != nil {
		return nil, err
	}
	file = file.DeepCopy()
	file.OS, file.Architecture, file.Created, file.Config = "linux", arch, v1.Time{Time: epoch}, config
	return mutate.ConfigFile(image, file)
}

// WriteArchive writes images by their full names as one archive, as `docker save` does.
func WriteArchive(path string, named map[string]v1.Image) error {
	tags := map[name.Tag]v1.Image{}
	for full, image := range named {
		tag, err := name.NewTag(full)
		if err != nil {
			return err
		}
		tags[tag] = image
	}
	if err := tarball.MultiWriteToFile(path, tags); err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	return nil
}

// ArchiveLayout writes the image that a layout has by the name served as an
// archive, under another name.
func ArchiveLayout(dir, served, full, path string) error {
	found, err := readLayout(dir)
	if err != nil {
		return err
	}
	for _, image := range found {
		if image.name == served {
			return WriteArchive(path, map[string]v1.Image{full: image.image})
		}
	}
	return fmt.Errorf("no image %s in %s", served, dir)
}

// ArchiveID is what an engine calls the image of an archive after loading it.
func ArchiveID(path, full string) (string, error) {
	tag, err := name.NewTag(full)
	if err != nil {
		return "", err
	}
	image, err := tarball.ImageFromPath(path, &tag)
	if err != nil {
		return "", fmt.Errorf("read %s: %w", path, err)
	}
	id, err := image.ConfigName()
	return id.String(), err
}
