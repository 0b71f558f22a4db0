// SPDX-License-Identifier: Apache-2.0

package local

import (
	"context"
	"fmt"
	"path/filepath"

	"github.com/clusterctl/clusterctl/pkg/bootstrap/local/internal/layout"
	"github.com/clusterctl/clusterctl/pkg/bootstrap/local/internal/supervisor"
)

// Supervise runs the bootstrap cluster whose state is in dir until ctx ends, and then stops all of it in order.
// It is the main function of the process that Options.Supervisor starts; environ is its environment ("KEY=value").
//
// It returns nil when it was told to stop, and an error when the control plane could not be started, when
// dir isn't a bootstrap cluster, or when another process supervises it already.
func Supervise(ctx context.Context, dir string, environ ...string) error {
	if !filepath.IsAbs(dir) {
		return fmt.Errorf("supervise %q: the directory must be absolute", dir)
	}
	return supervisor.Run(ctx, layout.Dir(filepath.Clean(dir)), environ)
}
