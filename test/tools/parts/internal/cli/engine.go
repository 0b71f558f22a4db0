// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"context"
	"fmt"
	"path/filepath"
	"runtime"

	"github.com/clusterctl/clusterctl/test/tools/parts/internal/engine"
	"github.com/clusterctl/clusterctl/test/tools/parts/internal/plan"
)

// exitUnavailable is the exit code where no container engine can run.
const exitUnavailable = 3

func engineCommand(ctx context.Context, args []string, process Process) error {
	if len(args) == 0 {
		return fmt.Errorf("%w: say start, stop or status", errUsage)
	}
	action := args[0]
	planner, err := newCommon("engine "+action, process).parse(args[1:], process)
	if err != nil {
		return err
	}
	planner.Arch = runtime.GOARCH
	e := engine.Engine{Dir: planner.Dir.Engine(), Settings: "/proc/sys", Out: process.Stdout, FrontEnd: func(ctx context.Context) (string, error) {
		out, err := makeParts(ctx, planner, []string{plan.RuncFrontEnd}, process)
		if err != nil {
			return "", err
		}
		return filepath.Dir(out[0].Outputs[0]), nil
	}}
	switch action {
	case "start":
		return e.Start(ctx)
	case "stop":
		return e.Stop(ctx)
	case "status":
		version, err := engine.Version(ctx)
		if err != nil {
			return fmt.Errorf("%w: %w", engine.ErrUnavailable, err)
		}
		_, err = fmt.Fprintln(process.Stdout, "docker", version, "answers")
		return err
	}
	return fmt.Errorf("%w: no action %q, there are start, stop and status", errUsage, action)
}
