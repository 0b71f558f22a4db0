// SPDX-License-Identifier: Apache-2.0

package images

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"os"
	"time"

	"github.com/google/go-containerregistry/pkg/name"
	"github.com/google/go-containerregistry/pkg/registry"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/layout"
	"github.com/google/go-containerregistry/pkg/v1/remote"
)

// stopTimeout is how long a transfer may go on after the registry was told to stop.
const stopTimeout = 2 * time.Second

// Serve serves the images of the layout at dir on listener until ctx ends. It
// calls ready once every image can be pulled. The listener is closed when it returns.
func Serve(ctx context.Context, listener net.Listener, dir string, ready func() error) error {
	images, err := readLayout(dir)
	if err != nil {
		return errors.Join(err, listener.Close())
	}
	quiet := log.New(io.Discard, "", 0)
	server := &http.Server{
		Handler:           registry.New(registry.Logger(quiet), registry.WithBlobHandler(blobs{layout.Path(dir)})),
		ErrorLog:          quiet,
		ReadHeaderTimeout: 10 * time.Second,
	}
	ended := make(chan error, 1)
	go func() { ended <- server.Serve(listener) }()

	err = publish(ctx, listener.Addr().String(), images)
	if err == nil {
		err = ready()
	}
	if err == nil {
		select {
		case <-ctx.Done():
		case err = <-ended:
			return err
		}
	}
	stop, cancel := context.WithTimeout(context.WithoutCancel(ctx), stopTimeout)
	defer cancel()
	if server.Shutdown(stop) != nil {
		_ = server.Close()
	}
	<-ended
	return err
}

// publish gives the registry the images' manifests. Their blobs it has already.
func publish(ctx context.Context, address string, images []named) error {
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.Proxy = nil // The registry is on this host.
	defer transport.CloseIdleConnections()
	for _, image := range images {
		reference, err := name.ParseReference(address+"/"+image.name, name.Insecure, name.StrictValidation)
		if err != nil {
			return err
		}
		if err := remote.Write(reference, image.image, remote.WithContext(ctx), remote.WithTransport(transport)); err != nil {
			return fmt.Errorf("serve image %s: %w", image.name, err)
		}
	}
	return nil
}

// blobs are the blobs of a layout, read-only: what a client pushes is refused,
// so that nothing gets into the cache this way.
type blobs struct{ path layout.Path }

// Get opens a blob.
func (b blobs) Get(_ context.Context, _ string, hash v1.Hash) (io.ReadCloser, error) {
	blob, err := b.path.Blob(hash)
	if errors.Is(err, os.ErrNotExist) {
		return nil, registry.ErrNotFound
	}
	return blob, err
}

// Stat returns a blob's size in bytes.
func (b blobs) Stat(ctx context.Context, repository string, hash v1.Hash) (int64, error) {
	blob, err := b.Get(ctx, repository, hash)
	if err != nil {
		return 0, err
	}
	defer blob.Close()
	file, ok := blob.(*os.File)
	if !ok {
		return 0, fmt.Errorf("blob %s is not a file", hash)
	}
	info, err := file.Stat()
	if err != nil {
		return 0, err
	}
	return info.Size(), nil
}
