// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"context"
	"fmt"
	"runtime"

	"github.com/clusterctl/clusterctl/test/tools/parts/internal/engine"
)

// load puts the images into the engine, which has to run.
func load(ctx context.Context, args []string, process Process) error {
	planner, err := newCommon("load", process).parse(args, process)
	if err != nil {
		return err
	}
	planner.Arch = runtime.GOARCH
	if _, err := engine.Version(ctx); err != nil {
		return fmt.Errorf("%w: %w (`parts engine start` starts one)", engine.ErrUnavailable, err)
	}
	release, err := lock(ctx, planner, process)
	if err != nil {
		return err
	}
	defer release()
	return planner.Load(ctx, process.Stdout)
}
