// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"

	"github.com/clusterctl/clusterctl/test/tools/parts/internal/cache"
	"github.com/clusterctl/clusterctl/test/tools/parts/internal/engine"
	"github.com/clusterctl/clusterctl/test/tools/parts/internal/pins"
	"github.com/clusterctl/clusterctl/test/tools/parts/internal/plan"
)

// Process is what the program gets from its process.
type Process struct {
	Getenv         func(string) string
	Stdout, Stderr io.Writer
}

const usage = `parts makes and serves what the demo, the tests and CI need besides clusterctl.

Usage:
  parts build  [--cache DIR] [--only NAME,...] [--no-download]   make the cache folder complete
  parts serve  [--cache DIR] [--addr HOST:PORT] [--ready-file F] serve the images as a registry
  parts config [--cache DIR] --registry ADDR [--out FILE]        write a clusterctl.yaml
  parts env    [--cache DIR]                                     print the environment of the parts
  parts engine start|stop|status [--cache DIR]                   the container engine of this host
  parts load   [--cache DIR]                                     put the node images into the engine

The cache folder is --cache, else $CLUSTERCTL_PARTS, else clusterctl-parts in $XDG_CACHE_HOME or ~/.cache.
`

// errUsage is a wrong command line.
var errUsage = errors.New("wrong usage")

// Main runs the command that args name and returns the exit code: 0, 1 for a
// failure, 2 for a wrong command line, 3 where no container engine can run.
func Main(ctx context.Context, args []string, process Process) int {
	commands := map[string]func(context.Context, []string, Process) error{
		"build": build, "serve": serve, "config": config, "env": env,
		"engine": engineCommand, "load": load,
	}
	if len(args) == 0 || args[0] == "-h" || args[0] == "--help" || args[0] == "help" {
		fmt.Fprint(process.Stdout, usage)
		return 0
	}
	command, ok := commands[args[0]]
	if !ok {
		fmt.Fprintf(process.Stderr, "parts: no command %q\n\n%s", args[0], usage)
		return 2
	}
	err := command(ctx, args[1:], process)
	switch {
	case err == nil || errors.Is(err, flag.ErrHelp):
		return 0
	case errors.Is(err, errUsage):
		fmt.Fprintf(process.Stderr, "parts %s: %v\n", args[0], err)
		return 2
	}
	fmt.Fprintf(process.Stderr, "parts %s: %v\n", args[0], err)
	if errors.Is(err, engine.ErrUnavailable) {
		return exitUnavailable
	}
	return 1
}

// common are the flags of all commands.
type common struct {
	flags        *flag.FlagSet
	cache, tools string
}

func newCommon(name string, process Process) *common {
	c := &common{flags: flag.NewFlagSet("parts "+name, flag.ContinueOnError)}
	c.flags.SetOutput(process.Stderr)
	c.flags.StringVar(&c.cache, "cache", "", "the cache `folder`")
	c.flags.StringVar(&c.tools, "tools", "", "the `folder` of the tool modules (default: found from the working directory)")
	return c
}

// parse parses args and returns what every command needs.
func (c *common) parse(args []string, process Process) (plan.Planner, error) {
	if err := c.flags.Parse(args); err != nil {
		if errors.Is(err, flag.ErrHelp) {
			return plan.Planner{}, err
		}
		return plan.Planner{}, errors.Join(errUsage, err)
	}
	if c.flags.NArg() > 0 {
		return plan.Planner{}, fmt.Errorf("%w: unexpected argument %q", errUsage, c.flags.Arg(0))
	}
	return c.planner(process)
}

func (c *common) planner(process Process) (planner plan.Planner, err error) {
	if planner.Dir, err = cache.Locate(c.cache, process.Getenv); err != nil {
		return planner, err
	}
	dir, err := os.Getwd()
	if err != nil {
		return planner, err
	}
	if planner.Tools, err = pins.Locate(c.tools, dir); err != nil {
		return planner, err
	}
	planner.Versions, err = plan.ReadVersions(planner.Tools)
	return planner, err
}
