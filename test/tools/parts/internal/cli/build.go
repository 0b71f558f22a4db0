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
	parts, err := planner.Parts()
	if err != nil {
		return err
	}
	parts, err = plan.Select(parts, strings.FieldsFunc(*only, func(r rune) bool { return r == ',' || r == ' ' }))
	if err != nil {
		return fmt.Errorf("%w: %w", errUsage, err)
	}
	release, err := planner.Dir.Lock(ctx, func() {
		fmt.Fprintf(process.Stderr, "waiting for another run that uses %s\n", planner.Dir)
	})
	if err != nil {
		return err
	}
	defer release()
	return plan.Build(ctx, planner.Dir, parts, process.Stdout)
}
