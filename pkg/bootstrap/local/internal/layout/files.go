// SPDX-License-Identifier: Apache-2.0

package layout

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/clusterctl/clusterctl/pkg/atomicfile"

	"github.com/clusterctl/clusterctl/pkg/bootstrap/local/internal/proc"
)

// MetaKind is the marker in bootstrap.json.
const MetaKind = "clusterctl-local-bootstrap"

// ErrForeign says that a directory isn't a bootstrap cluster of ours.
var ErrForeign = errors.New("not a local bootstrap cluster")

// Meta is bootstrap.json: it is written once, when the bootstrap is made.
type Meta struct {
	Kind    string    `json:"kind"`
	Version int       `json:"version"`
	Name    string    `json:"name"`
	Created time.Time `json:"created"`
	// PodIP is the loopback address that this bootstrap's providers listen on when they ask for their pod's address.
	PodIP string `json:"podIP"`
}

// Config is config.json: what the supervisor shall run. A command writes it before it starts the supervisor.
type Config struct {
	KubernetesVersion string        `json:"kubernetesVersion"`
	Etcd              string        `json:"etcd"`
	APIServer         string        `json:"kubeAPIServer"`
	ControllerManager string        `json:"kubeControllerManager"`
	Images            string        `json:"images"`
	StartTimeout      time.Duration `json:"startTimeout"`
}

// Phase is what the supervisor is doing.
type Phase string

// The phases.
const (
	Starting Phase = "starting"
	Running  Phase = "running"
	Stopping Phase = "stopping"
	Stopped  Phase = "stopped"
	Failed   Phase = "failed"
)

// Status is status.json: the supervisor and its process table.
type Status struct {
	Supervisor proc.Ident `json:"supervisor"`
	Phase      Phase      `json:"phase"`
	Message    string     `json:"message,omitempty"`
	Endpoint   string     `json:"endpoint,omitempty"`
	Updated    time.Time  `json:"updated"`
	Processes  []Process  `json:"processes,omitempty"`
}

// Process is one line of the process table.
type Process struct {
	Name     string        `json:"name"`
	Provider bool          `json:"provider,omitempty"`
	Ident    proc.Ident    `json:"ident,omitzero"`
	Ready    bool          `json:"ready"`
	Took     time.Duration `json:"took,omitempty"`
	Restarts int           `json:"restarts,omitempty"`
	Since    time.Time     `json:"since,omitzero"`
	Message  string        `json:"message,omitempty"`
	Log      string        `json:"log,omitempty"`
}

// ReadMeta reads bootstrap.json. It returns fs.ErrNotExist if the directory isn't there
// or is empty, and ErrForeign if it holds something else.
func (d Dir) ReadMeta() (Meta, error) {
	var m Meta
	err := ReadJSON(d.Meta(), &m)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		entries, listErr := os.ReadDir(string(d))
		if listErr == nil && !justBegun(entries) {
			return m, fmt.Errorf("%s: %w: it has no bootstrap.json", d, ErrForeign)
		}
		return m, fmt.Errorf("%s: %w", d, fs.ErrNotExist)
	case err != nil:
		return m, fmt.Errorf("%w: %w", ErrForeign, err)
	case m.Kind != MetaKind || m.Version != 1 || m.Name != d.Name():
		return m, fmt.Errorf("%s: %w: it says kind %q, version %d, name %q", d.Meta(), ErrForeign, m.Kind, m.Version, m.Name)
	}
	return m, nil
}

// Used says whether the API server ever stored anything: without that nothing is lost with the directory.
func (d Dir) Used() bool {
	_, err := os.Stat(filepath.Join(d.Etcd(), "member"))
	return !errors.Is(err, fs.ErrNotExist)
}

// justBegun says whether a directory holds only what comes before bootstrap.json: locks, and its temporary file, which
// stays when a command is killed while it writes it.
func justBegun(entries []os.DirEntry) bool {
	for _, e := range entries {
		if filepath.Ext(e.Name()) != ".lock" && !strings.HasPrefix(e.Name(), ".bootstrap.json-") {
			return false
		}
	}
	return true
}

// ReadStatus reads status.json; without one it returns a zero Status.
func (d Dir) ReadStatus() (Status, error) {
	var s Status
	err := ReadJSON(d.Status(), &s)
	if errors.Is(err, fs.ErrNotExist) {
		return Status{}, nil
	}
	return s, err
}

// ReadJSON reads a file into v.
func ReadJSON(path string, v any) error {
	data, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(data, v); err != nil {
		return fmt.Errorf("read %s: %w", path, err)
	}
	return nil
}

// WriteJSON writes v to a file of mode 0600, atomically and durably.
func WriteJSON(path string, v any) error {
	data, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		return err
	}
	return atomicfile.Write(path, append(data, '\n'), 0o600)
}

// WriteVolatile is WriteJSON for what needn't survive a crash of the host: it doesn't wait for the disk.
func WriteVolatile(path string, v any) error {
	data, err := json.Marshal(v)
	if err != nil {
		return err
	}
	tmp := path + ".tmp"
	if err := os.WriteFile(tmp, append(data, '\n'), 0o600); err != nil {
		return err
	}
	return os.Rename(tmp, path)
}
