// SPDX-License-Identifier: Apache-2.0

package images

import (
	"archive/tar"
	"fmt"
	"io"
	"os"
	"time"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/tarball"
	"github.com/google/go-containerregistry/pkg/v1/types"
)

// program is where the binary is in the image.
const program = "manager"

// epoch is every timestamp in an image, so that the same binary always gives
// the same digest.
var epoch = time.Unix(0, 0).UTC()

// FromBinary returns an image that holds one static binary, /manager, and runs
// it as user. The platform is linux and arch.
func FromBinary(binary, arch, user string) (v1.Image, error) {
	layer, err := tarball.LayerFromOpener(func() (io.ReadCloser, error) { return archive(binary), nil },
		tarball.WithMediaType(types.OCILayer))
	if err != nil {
		return nil, fmt.Errorf("make a layer of %s: %w", binary, err)
	}
	base := mutate.ConfigMediaType(mutate.MediaType(empty.Image, types.OCIManifestSchema1), types.OCIConfigJSON)
	image, err := mutate.Append(base, mutate.Addendum{
		Layer:   layer,
		History: v1.History{Created: v1.Time{Time: epoch}, CreatedBy: "COPY " + program + " /"},
	})
	if err != nil {
		return nil, err
	}
	config, err := image.ConfigFile()
	if err != nil {
		return nil, err
	}
	config = config.DeepCopy()
	config.OS, config.Architecture, config.Created = "linux", arch, v1.Time{Time: epoch}
	config.Config = v1.Config{Entrypoint: []string{"/" + program}, User: user, WorkingDir: "/"}
	return mutate.ConfigFile(image, config)
}

// archive streams a tar file that holds the binary, owned by root and readable and
// executable by all.
func archive(binary string) io.ReadCloser {
	reader, writer := io.Pipe()
	go func() { writer.CloseWithError(writeArchive(writer, binary)) }()
	return reader
}

func writeArchive(out io.Writer, binary string) error {
	file, err := os.Open(binary)
	if err != nil {
		return err
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return err
	}
	writer := tar.NewWriter(out)
	header := &tar.Header{Typeflag: tar.TypeReg, Name: program, Mode: 0o755, Size: info.Size(), ModTime: epoch, Format: tar.FormatUSTAR}
	if err := writer.WriteHeader(header); err != nil {
		return err
	}
	if _, err := io.Copy(writer, file); err != nil {
		return err
	}
	return writer.Close()
}
