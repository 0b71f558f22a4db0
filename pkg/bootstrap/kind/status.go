// SPDX-License-Identifier: Apache-2.0

package kind

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/clusterctl/clusterctl/pkg/bootstrap"
	"github.com/clusterctl/clusterctl/pkg/bootstrap/internal/lock"
	"github.com/clusterctl/clusterctl/pkg/capi"
	"github.com/clusterctl/clusterctl/pkg/event"
	"github.com/clusterctl/clusterctl/pkg/kube"
	"github.com/clusterctl/clusterctl/pkg/paths"
)

// pingTimeout bounds the look at an API server.
const pingTimeout = 5 * time.Second

// Status compares the record with what the engine has, and asks the API server.
func (c *Cluster) Status(ctx context.Context) (bootstrap.Status, error) {
	rec, err := c.readRecord()
	switch {
	case err != nil:
		return bootstrap.Status{State: bootstrap.Degraded, Detail: err.Error()}, nil //nolint:nilerr // It is the status.
	case rec == nil:
		return bootstrap.Status{State: bootstrap.Missing}, nil
	}
	e, err := c.open(ctx, rec.Engine, nil)
	if err != nil {
		return bootstrap.Status{State: bootstrap.Stopped, Detail: err.Error()}, nil //nolint:nilerr // It is the status.
	}
	ours, err := c.ours(ctx, e, rec)
	if err != nil {
		return bootstrap.Status{State: bootstrap.Degraded, Detail: err.Error()}, nil //nolint:nilerr // It is the status.
	}
	if !rec.Complete {
		return c.incomplete(ours), nil
	}
	state, detail := sum(rec, ours)
	if state == bootstrap.Running {
		if err := c.ping(ctx); err != nil {
			return bootstrap.Status{State: bootstrap.Degraded, Detail: c.explainOffline(ctx, e, rec, err).Error()}, nil
		}
	}
	return bootstrap.Status{State: state, Detail: detail}, nil
}

// incomplete is the state of one that is being made, or whose making was interrupted: that never held anything.
func (c *Cluster) incomplete(left []container) bootstrap.Status {
	held, err := lock.Try(c.lockPath())
	if errors.Is(err, lock.ErrHeld) {
		return bootstrap.Status{State: bootstrap.Starting, Detail: "another command is making it"}
	}
	held.Release()
	detail := "its start was interrupted"
	if len(left) > 0 {
		detail += fmt.Sprintf("; its next start, or its deletion, removes %s", event.Count(len(left), "container"))
	}
	return bootstrap.Status{State: bootstrap.Missing, Detail: detail}
}

// sum is the state by what containers there are.
func sum(rec *record, ours []container) (bootstrap.State, string) {
	if len(ours) == 0 {
		return bootstrap.Missing, "its containers were removed"
	}
	there := map[string]bool{}
	running := 0
	for _, n := range ours {
		there[n.Name] = true
		if n.running() {
			running++
		}
	}
	var missing []string
	for _, name := range slices.Sorted(maps.Keys(rec.Nodes)) {
		if !there[name] {
			missing = append(missing, name)
		}
	}
	switch {
	case len(missing) > 0:
		return bootstrap.Degraded, "removed by somebody else: " + strings.Join(missing, ", ")
	case running == 0:
		return bootstrap.Stopped, ""
	case running < len(ours):
		return bootstrap.Degraded, fmt.Sprintf("%d of %d containers run", running, len(ours))
	}
	return bootstrap.Running, ""
}

func (c *Cluster) ping(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, pingTimeout)
	defer cancel()
	client, err := c.client()
	if err != nil {
		return err
	}
	defer client.Close()
	_, err = client.Ping(ctx)
	return err
}

func (c *Cluster) client() (*kube.Client, error) {
	cfg, err := kube.LoadConfig(kube.ConfigSource{Path: c.Kubeconfig()})
	if err != nil {
		return nil, err
	}
	return kube.New(cfg.REST, kube.Options{})
}

// List lists the kind bootstrap clusters of a user that there is a record of, by name.
func List(ctx context.Context, dirs paths.Dirs, getenv func(string) string) ([]bootstrap.Info, error) {
	names, err := Names(dirs)
	if err != nil {
		return nil, err
	}
	var infos []bootstrap.Info
	for _, name := range names {
		c, err := New(Options{Name: name, Dirs: dirs, Getenv: getenv})
		if err != nil {
			return nil, err
		}
		st, err := c.Status(ctx)
		if err != nil {
			return nil, err
		}
		info := bootstrap.Info{Name: name, Type: bootstrap.Kind, State: st.State, Detail: st.Detail, Kubeconfig: c.Kubeconfig(), Dir: c.dir}
		if rec, err := readRecord(c.dir); err == nil {
			info.Created, info.Endpoint, info.KubernetesVersion = rec.Created, rec.Endpoint, rec.KubernetesVersion
			info.Nodes = slices.Sorted(maps.Keys(rec.Nodes))
		}
		if st.State == bootstrap.Running {
			info.Providers = c.providers(ctx)
		}
		infos = append(infos, info)
	}
	return infos, nil
}

// providers lists the controllers, as far as the API server tells them in time.
func (c *Cluster) providers(ctx context.Context) []string {
	ctx, cancel := context.WithTimeout(ctx, pingTimeout)
	defer cancel()
	client, err := c.client()
	if err != nil {
		return nil
	}
	defer client.Close()
	gvk := schema.GroupVersionKind{Group: "apps", Version: "v1", Kind: "Deployment"}
	list, err := client.List(ctx, gvk, kube.ListOptions{LabelSelector: capi.ProviderLabel, MetadataOnly: true})
	if err != nil {
		return nil
	}
	var out []string
	for _, d := range list {
		out = append(out, d.GetNamespace()+"/"+d.GetName())
	}
	slices.Sort(out)
	return out
}

// Names lists the names of the kind bootstrap clusters of a user that there is a record of; no engine is asked.
func Names(dirs paths.Dirs) ([]string, error) {
	entries, err := os.ReadDir(root(dirs.State))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("list kind bootstrap clusters: %w", err)
	}
	var names []string
	for _, entry := range entries {
		if !entry.IsDir() || ValidateName(entry.Name()) != nil {
			continue
		}
		if _, err := os.Stat(recordPath(filepath.Join(root(dirs.State), entry.Name()))); err == nil {
			names = append(names, entry.Name())
		}
	}
	return names, nil
}
