// SPDX-License-Identifier: Apache-2.0

package local

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"time"

	"github.com/clusterctl/clusterctl/pkg/bootstrap/local/internal/layout"
	"github.com/clusterctl/clusterctl/pkg/bootstrap/local/internal/proc"
	"github.com/clusterctl/clusterctl/pkg/bootstrap/local/internal/rotate"
	"github.com/clusterctl/clusterctl/pkg/event"
	"github.com/clusterctl/clusterctl/pkg/fault"
)

// inherited are the variables that the supervisor gets of the user's environment: what it needs
// to find programs, to reach registries and to log in to them.
var inherited = []string{
	"PATH", "HOME", "USER", "LANG", "TZ", "DOCKER_CONFIG", "REGISTRY_AUTH_FILE", "XDG_RUNTIME_DIR", "XDG_CONFIG_HOME",
	"HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "http_proxy", "https_proxy", "no_proxy", "SSL_CERT_FILE", "SSL_CERT_DIR",
}

// launch starts the supervisor in a session of its own.
func (c *Cluster) launch() (proc.Ident, error) {
	if err := os.MkdirAll(c.dir.Logs(), 0o700); err != nil {
		return proc.Ident{}, err
	}
	// What the last one said isn't what this one says.
	if err := os.Remove(c.dir.Status()); err != nil && !errors.Is(err, os.ErrNotExist) {
		return proc.Ident{}, err
	}
	out, err := os.OpenFile(c.dir.Log("supervisor"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return proc.Ident{}, err
	}
	defer func() { _ = out.Close() }()
	argv := append(slices.Clone(c.opts.Supervisor), string(c.dir))
	cmd := exec.Command(argv[0], argv[1:]...) //nolint:noctx // It is to outlive this process.
	cmd.Dir, cmd.Stdout, cmd.Stderr = string(c.dir), out, out
	cmd.Env = append(c.environ(), proc.Marker+"="+string(c.dir))
	pid, err := proc.Detach(cmd)
	if err != nil {
		return proc.Ident{}, fmt.Errorf("start supervisor: %w", err)
	}
	return c.identify(pid)
}

// environ is what the supervisor's environment keeps of the user's.
func (c *Cluster) environ() []string {
	return slices.DeleteFunc(slices.Clone(c.opts.Environ), func(e string) bool {
		name, _, _ := strings.Cut(e, "=")
		return !slices.Contains(inherited, name)
	})
}

func (c *Cluster) identify(pid int) (proc.Ident, error) {
	ident, err := proc.Of(pid)
	if err != nil {
		proc.Reap(pid)
		return proc.Ident{}, c.supervisorEnded(layout.Status{})
	}
	return ident, nil
}

// await waits until the control plane is ready, or the supervisor says that it won't be.
func (c *Cluster) await(ctx context.Context, sink event.Sink, supervisor proc.Ident) error {
	ready := map[string]bool{}
	for {
		st, err := c.dir.ReadStatus()
		if err != nil {
			return err
		}
		for _, p := range st.Processes {
			if p.Ready && !p.Provider && !ready[p.Name] && st.Phase == layout.Starting {
				ready[p.Name] = true
				event.Progressf(sink, stepEnsure, "%s ready (%s)", p.Name, p.Took.Round(100*time.Millisecond))
			}
		}
		mine := st.Supervisor == supervisor
		if mine && st.Phase == layout.Running && controlPlaneReady(st) {
			return nil
		}
		if !supervisor.Alive() {
			proc.Reap(supervisor.PID)
			return c.supervisorEnded(st)
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("wait for the control plane: %s: %w", waitingFor(st), context.Cause(ctx))
		case <-time.After(poll):
		}
	}
}

func controlPlaneReady(st layout.Status) bool {
	for _, p := range st.Processes {
		if !p.Provider && !p.Ready {
			return false
		}
	}
	return true
}

func waitingFor(st layout.Status) string {
	for _, p := range st.Processes {
		if !p.Provider && !p.Ready {
			return p.Name + ": " + p.Message
		}
	}
	return "the supervisor starts"
}

// supervisorEnded says why the supervisor isn't there, as well as it is known.
func (c *Cluster) supervisorEnded(st layout.Status) error {
	log := c.dir.Log("supervisor")
	if st.Phase == layout.Failed && st.Message != "" {
		return fault.WithHint(errors.New(st.Message), "all logs are in %s", c.dir.Logs())
	}
	lines, _ := rotate.Tail(log, 1)
	return fault.WithHint(fmt.Errorf("its supervisor ended: %s", strings.Join(append(lines, ""), "")), "see %s", log)
}
