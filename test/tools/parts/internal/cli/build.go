// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"context"
	"fmt"
	"runtime"
	"strings"

	"github.com/clusterctl/clusterctl/test/tools/parts/internal/download"
	"github.com/clusterctl/clusterctl/test/tools/parts/internal/plan"
)

// noDownloadVariable switches downloads off in the environment, as --no-download does.
const noDownloadVariable = "CLUSTERCTL_PARTS_NO_DOWNLOAD"

func build(ctx context.Context, args []string, process Process) error {
	c := newCommon("build", process)
	only := c.flags.String("only", "", "make only these parts or groups, separated by `commas`")
	noDownload := c.flags.Bool("no-download", process.Getenv(noDownloadVariable) != "", "build everything from Go modules")
	planner, err := c.parse(args, process)
	if err != nil {
		return err
	}
	planner.Arch = runtime.GOARCH
	if !*noDownload {
		planner.Download = download.NewClient()
	}
	_, err = makeParts(ctx, planner, strings.FieldsFunc(*only, func(r rune) bool { return r == ',' || r == ' ' }), process)
	return err
}

// makeParts makes the parts that only names, and returns them.
func makeParts(ctx context.Context, planner plan.Planner, only []string, process Process) ([]plan.Part, error) {
	parts, err := planner.Parts()
	if err != nil {
		return nil, err
	}
	if parts, err = plan.Select(parts, only); err != nil {
		return nil, fmt.Errorf("%w: %w", errUsage, err)
	}
	release, err := lock(ctx, planner, process)
	if err != nil {
		return nil, err
	}
	defer release()
	return parts, plan.Build(ctx, planner.Dir, parts, process.Stdout)
}

// lock takes the write lock of the cache folder, and says where it has to wait.
func lock(ctx context.Context, planner plan.Planner, process Process) (release func(), err error) {
	return planner.Dir.Lock(ctx, func() {
		fmt.Fprintf(process.Stderr, "waiting for another run that uses %s\n", planner.Dir)
	})
}
