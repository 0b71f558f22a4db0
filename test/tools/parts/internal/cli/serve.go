// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"context"
	"fmt"
	"net"
	"os"
	"path/filepath"

	"github.com/clusterctl/clusterctl/test/tools/parts/internal/images"
)

func serve(ctx context.Context, args []string, process Process) error {
	c := newCommon("serve", process)
	addr := c.flags.String("addr", "127.0.0.1:0", "the `address` to listen on; port 0 takes a free one")
	readyFile := c.flags.String("ready-file", "", "write the address to this `file` once images can be pulled")
	planner, err := c.parse(args, process)
	if err != nil {
		return err
	}
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", *addr)
	if err != nil {
		return err
	}
	address := listener.Addr().String()
	return images.Serve(ctx, listener, planner.Dir.Images(planner.Versions.CAPI), func() error {
		if *readyFile != "" {
			if err := replaceFile(*readyFile, []byte(address+"\n")); err != nil {
				return err
			}
		}
		_, err := fmt.Fprintln(process.Stdout, "registry", address)
		return err
	})
}

// replaceFile writes a file outside of the cache folder atomically.
func replaceFile(path string, data []byte) error {
	temp, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+"-*")
	if err != nil {
		return err
	}
	defer os.Remove(temp.Name())
	_, err = temp.Write(data)
	if err == nil {
		err = temp.Chmod(0o644)
	}
	if closeErr := temp.Close(); err == nil {
		err = closeErr
	}
	if err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	return os.Rename(temp.Name(), path)
}
