// SPDX-License-Identifier: Apache-2.0

package kind

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os/exec"
	"slices"
	"strings"
	"time"

	"sigs.k8s.io/kind/pkg/cluster"

	"github.com/clusterctl/clusterctl/pkg/event"
)

// clusterLabel is kind's label on its containers; its value is the cluster's name.
const clusterLabel = "io.x-k8s.kind.cluster"

// answerTimeout is how long an engine may take to say who it is.
const answerTimeout = 10 * time.Second

// container is one node, as the engine knows it.
type container struct{ ID, Name, State string }

func (c container) running() bool { return c.State == "running" }

// engine is a container engine with kind's view of it.
type engine interface {
	// name is what the record remembers it by.
	name() string
	// facts says what the host's preflight wants to know.
	facts(ctx context.Context) (facts, error)
	// nodes lists the containers of a kind cluster, running or not.
	nodes(ctx context.Context, cluster string) ([]container, error)
	// offline says whether a container has no network.
	offline(ctx context.Context, id string) bool
	// pull gets an image unless it is there.
	pull(ctx context.Context, image string) error
	// create makes a cluster; it leaves what there is of it when it fails, and can't be interrupted.
	create(cluster string, config []byte, image, kubeconfig string) error
	start(ctx context.Context, ids []string) error
	stop(ctx context.Context, ids []string) error
	// remove removes containers with their volumes.
	remove(ctx context.Context, ids []string) error
	kubeconfig(cluster string) (string, error)
	collectLogs(cluster, dir string) error
	// imageID is the id of an image in the engine.
	imageID(ctx context.Context, image string) (string, error)
	// takesImages says whether a cluster that is being made has nodes by now, all of which take images.
	takesImages(ctx context.Context, cluster string) bool
	// load puts an image on all nodes: one that the engine has, or an archive.
	load(ctx context.Context, cluster, image string) error
}

// cli is an engine with a docker-like command line.
type cli struct {
	bin  string
	kind *cluster.Provider
}

// programs lists the engines in kind's order; KIND_EXPERIMENTAL_PROVIDER alone counts where it names one.
func programs(getenv func(string) string) []string {
	all := []string{"docker", "nerdctl", "finch", "podman"}
	if want := getenv("KIND_EXPERIMENTAL_PROVIDER"); want == "nerdctl.lima" || slices.Contains(all, want) {
		return []string{want}
	}
	return all
}

// Engine names the container engine that answers on this host; the error says why none does.
func Engine(ctx context.Context, getenv func(string) string) (string, error) {
	e, err := openEngine(ctx, getenv, "", nil)
	if err != nil {
		return "", err
	}
	return e.name(), nil
}

// openEngine finds the engine called name, or the first that answers.
func openEngine(ctx context.Context, getenv func(string) string, name string, sink event.Sink) (engine, error) {
	try := programs(getenv)
	if name != "" {
		try = []string{name}
	}
	var faults []error
	for _, bin := range try {
		if _, err := exec.LookPath(bin); err != nil {
			continue
		}
		e := newCLI(bin, sink)
		err := e.answers(ctx)
		if err == nil {
			return e, nil
		}
		faults = append(faults, err)
	}
	if len(faults) > 0 {
		return nil, faults[0] // The first is the one that kind would take.
	}
	return nil, noEngine(try)
}

func newCLI(bin string, sink event.Sink) *cli {
	opts := []cluster.ProviderOption{cluster.ProviderWithLogger(logger{sink})}
	switch bin {
	case "podman":
		opts = append(opts, cluster.ProviderWithPodman())
	case "docker":
		opts = append(opts, cluster.ProviderWithDocker())
	default:
		opts = append(opts, cluster.ProviderWithNerdctl(bin))
	}
	return &cli{bin: bin, kind: cluster.NewProvider(opts...)}
}

func (e *cli) name() string { return e.bin }

// answers asks the engine's server, not only its program.
func (e *cli) answers(ctx context.Context) error {
	limited, cancel := context.WithTimeout(ctx, answerTimeout)
	defer cancel()
	out, err := e.run(limited, nil, "ps", "--quiet", "--last", "1")
	if err == nil {
		return nil
	}
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if limited.Err() != nil {
		err = fmt.Errorf("no answer within %s", answerTimeout)
	}
	return unreachable(e.bin, out, err)
}

// run runs the engine's program. The output is what it wrote to standard output; an error holds what it wrote to standard error.
func (e *cli) run(ctx context.Context, stdin io.Reader, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, e.bin, args...)
	cmd.Stdin = stdin
	cmd.WaitDelay = time.Second
	var out, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &stderr
	if err := cmd.Run(); err != nil {
		if ctx.Err() != nil {
			err = context.Cause(ctx)
		}
		if text := lastLine(stderr.String()); text != "" {
			err = fmt.Errorf("%s: %w", text, err)
		}
		return out.String(), fmt.Errorf("%s %s: %w", e.bin, args[0], err)
	}
	return out.String(), nil
}

func lastLine(s string) string {
	lines := strings.Split(strings.TrimSpace(s), "\n")
	return strings.TrimSpace(lines[len(lines)-1])
}
