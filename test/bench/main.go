// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"net"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, os.Args[1:]); err != nil && !errors.Is(err, flag.ErrHelp) {
		stop()
		fmt.Fprintln(os.Stderr, "error:", err)
		os.Exit(1) //nolint:gocritic // stop was called
	}
}

// options are the flags.
type options struct {
	out, clusterctl string
	starts, runs    int
	// big is how many clusters the largest move has; 0 leaves it out.
	big int
	// containerRuns is how often a cluster of containers is made, each way.
	containerRuns int
	only          string
}

// withoutEngine is all that can be measured on a host without a container engine.
const withoutEngine = "start,flow,bootstrap,install,move"

func parse(args []string) (options, error) {
	var o options
	f := flag.NewFlagSet("bench", flag.ContinueOnError)
	f.StringVar(&o.out, "out", "-", "`file` for the report; - for standard output")
	f.StringVar(&o.clusterctl, "clusterctl", "bin/clusterctl", "`program` to measure, as \"make build\" makes it")
	f.IntVar(&o.starts, "starts", 15, "how often each command line is started")
	f.IntVar(&o.runs, "runs", 3, "how often each bootstrap cluster is made")
	f.IntVar(&o.big, "big", 1000, "how many `clusters` the largest move has; 0 leaves it out")
	f.IntVar(&o.containerRuns, "container-runs", 3, "how often a cluster of containers is made each way")
	f.StringVar(&o.only, "only", withoutEngine, "what to measure, separated by commas; or containers, by themselves: they need an engine with the images of the tests")
	if err := f.Parse(args); err != nil {
		return o, err
	}
	if f.NArg() > 0 || o.starts < 1 || o.runs < 1 || o.containerRuns < 1 {
		return o, errors.New("usage: bench [-out FILE] [-clusterctl PROGRAM] [-starts N] [-runs N] [-container-runs N] [-only PART,...]")
	}
	return o, nil
}

func run(ctx context.Context, args []string) error {
	if len(args) > 0 && args[0] == "part" {
		return runPart(ctx, args[1:])
	}
	o, err := parse(args)
	if err != nil {
		return err
	}
	if err := portFree(ctx); err != nil {
		return err
	}
	b, err := newBench(ctx, o)
	if err != nil {
		return err
	}
	defer b.close()
	began := time.Now()
	r := report{machine: thisMachine(), began: began, command: "make bench"}
	if o.only == "containers" {
		r.command = "make bench-containers"
	}
	// What measures memory comes first: this program is still small then, see measure.
	for _, part := range []struct {
		name string
		do   func(context.Context, *report) error
	}{{"start", b.starts}, {"flow", b.flow}, {"bootstrap", b.bootstraps}, {"install", b.install}, {"move", b.moves}, {"containers", b.containers}} {
		if !slices.Contains(strings.Split(o.only, ","), part.name) {
			continue
		}
		b.logf("== %s", part.name)
		if err := part.do(ctx, &r); err != nil {
			return fmt.Errorf("measure %s: %w", part.name, err)
		}
	}
	r.took, r.loadAfter = time.Since(began), load()
	return write(o.out, r.markdown())
}

func write(file, text string) error {
	if file == "-" {
		_, err := os.Stdout.WriteString(text)
		return err
	}
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		return err
	}
	return os.WriteFile(file, []byte(text), 0o644)
}

// portFree makes sure that the port that the Docker provider's manager insists on is free.
func portFree(ctx context.Context) error {
	const port = ":19000"
	var cfg net.ListenConfig
	l, err := cfg.Listen(ctx, "tcp", port)
	if err != nil {
		return fmt.Errorf("the Docker provider's manager needs port 19000 on all addresses, end what uses it first: %w", err)
	}
	return l.Close()
}
