// SPDX-License-Identifier: Apache-2.0

package local

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"

	"github.com/clusterctl/clusterctl/pkg/bootstrap"
	"github.com/clusterctl/clusterctl/pkg/bootstrap/local/internal/layout"
	"github.com/clusterctl/clusterctl/pkg/bootstrap/local/internal/rotate"
	"github.com/clusterctl/clusterctl/pkg/paths"
)

// Status says what the supervisor says, corrected by which processes really live. A bootstrap whose
// first start failed before anything was stored is Missing: it has nothing but logs.
func (c *Cluster) Status(context.Context) (bootstrap.Status, error) {
	_, st, err := look(c.dir)
	if st.State == bootstrap.Stopped && !c.dir.Used() {
		st.State = bootstrap.Missing
	}
	return st, err
}

// look reads a bootstrap's state off its directory.
func look(d layout.Dir) (layout.Status, bootstrap.Status, error) {
	if _, err := d.ReadMeta(); err != nil {
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return layout.Status{}, bootstrap.Status{State: bootstrap.Missing}, nil
		case errors.Is(err, layout.ErrForeign):
			return layout.Status{}, bootstrap.Status{State: bootstrap.Degraded, Detail: err.Error()}, nil
		}
		return layout.Status{}, bootstrap.Status{}, err
	}
	raw, err := d.ReadStatus()
	if err != nil {
		return raw, bootstrap.Status{State: bootstrap.Degraded, Detail: err.Error()}, nil //nolint:nilerr // It is the status.
	}
	st := bootstrap.Status{}
	alive := raw.Supervisor.Alive()
	for _, p := range raw.Processes {
		out := bootstrap.Process{Name: p.Name, Provider: p.Provider, Restarts: p.Restarts, Message: p.Message, Log: p.Log}
		if p.Ident.Alive() {
			out.PID, out.Since, out.Ready = p.Ident.PID, p.Since, p.Ready && alive
		}
		st.Processes = append(st.Processes, out)
	}
	st.State, st.Detail = sum(raw, st.Processes, alive)
	return raw, st, nil
}

// sum is the state of the whole.
func sum(raw layout.Status, ps []bootstrap.Process, alive bool) (bootstrap.State, string) {
	if !alive {
		return stopped(raw)
	}
	if raw.Phase == layout.Starting {
		return bootstrap.Starting, waitingFor(raw)
	}
	if raw.Phase == layout.Stopping {
		return bootstrap.Degraded, "it is being stopped"
	}
	var not []string
	for _, p := range ps {
		if !p.Ready {
			not = append(not, fmt.Sprintf("%s: %s", p.Name, p.Message))
		}
	}
	if len(not) > 0 {
		return bootstrap.Degraded, strings.Join(not, "; ")
	}
	return bootstrap.Running, ""
}

func stopped(raw layout.Status) (bootstrap.State, string) {
	switch raw.Phase {
	case layout.Failed:
		return bootstrap.Stopped, raw.Message
	case layout.Running, layout.Starting, layout.Stopping:
		return bootstrap.Stopped, "its supervisor ended unexpectedly"
	}
	return bootstrap.Stopped, ""
}

// List lists the local bootstrap clusters of a user, by name. What can't be read is listed as Degraded.
func List(dirs paths.Dirs) ([]bootstrap.Info, error) {
	root := layout.Root(dirs.State)
	entries, err := os.ReadDir(root)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("list local bootstrap clusters: %w", err)
	}
	var infos []bootstrap.Info
	for _, e := range entries {
		if !e.IsDir() || isTrash(e.Name()) || ValidateName(e.Name()) != nil {
			continue
		}
		info, err := describe(layout.In(dirs.State, e.Name()))
		if err != nil {
			return nil, err
		}
		if info.State != bootstrap.Missing {
			infos = append(infos, info)
		}
	}
	return infos, nil
}

func describe(d layout.Dir) (bootstrap.Info, error) {
	raw, st, err := look(d)
	if err != nil {
		return bootstrap.Info{}, err
	}
	info := bootstrap.Info{
		Name: d.Name(), Type: bootstrap.Local, State: st.State, Detail: st.Detail,
		Endpoint: raw.Endpoint, Kubeconfig: d.Kubeconfig(), Dir: string(d),
	}
	if meta, err := d.ReadMeta(); err == nil {
		info.Created = meta.Created
	}
	var cfg layout.Config
	if err := layout.ReadJSON(d.Config(), &cfg); err == nil {
		info.KubernetesVersion = cfg.KubernetesVersion
	}
	if raw.Supervisor.Alive() {
		info.SupervisorPID = raw.Supervisor.PID
	}
	for _, p := range st.Processes {
		if p.Provider && p.PID != 0 {
			info.Providers = append(info.Providers, p.Name)
		}
	}
	return info, nil
}

// Logs returns the last lines that a controller's process logged; with a deployment of "" those of the
// control plane's process, or "supervisor", that namespace names.
func (c *Cluster) Logs(_ context.Context, namespace, deployment string, lines int) ([]string, error) {
	file := c.dir.PodLog(namespace, deployment, "")
	if deployment == "" {
		file = c.dir.Log(namespace)
	}
	out, err := rotate.Tail(file, lines)
	if err != nil {
		return nil, fmt.Errorf("read log: %w", err)
	}
	return out, nil
}
