// SPDX-License-Identifier: Apache-2.0

package kind

import (
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/clusterctl/clusterctl/pkg/atomicfile"
	"github.com/clusterctl/clusterctl/pkg/fault"
)

const recordKind = "clusterctl-kind-bootstrap"

// record says what is ours. It holds no secrets.
type record struct {
	Kind    string `json:"kind"`
	Version int    `json:"version"`
	Name    string `json:"name"`
	// Cluster is the name in the engine, the value of kind's label on the containers.
	Cluster string `json:"cluster"`
	// Engine is docker, podman, nerdctl or finch.
	Engine  string    `json:"engine"`
	Created time.Time `json:"created"`
	// Complete says that the cluster was made; Nodes are its containers then, id by name.
	Complete bool              `json:"complete"`
	Nodes    map[string]string `json:"nodes,omitempty"`
	// KubernetesVersion and Endpoint are what the API server said.
	KubernetesVersion string `json:"kubernetesVersion,omitempty"`
	Endpoint          string `json:"endpoint,omitempty"`
	// Loaded is what was put on the nodes, by the name or path that it was asked for by.
	Loaded map[string]loaded `json:"loaded,omitempty"`
}

func randomSuffix() string {
	b := make([]byte, 4)
	_, _ = rand.Read(b) // Never fails.
	return hex.EncodeToString(b)
}

// clusterName is the name in the engine: kind makes host names of it, which may have 63 characters with what it adds.
func clusterName(name, suffix string) string {
	const most = 24
	if len(name) > most {
		name = name[:most]
	}
	return "clusterctl-" + name + "-" + suffix
}

func recordPath(dir string) string { return filepath.Join(dir, "kind.json") }

// readRecord reads the record in dir; it returns fs.ErrNotExist if there is none.
func readRecord(dir string) (record, error) {
	var r record
	path := recordPath(dir)
	data, err := os.ReadFile(path)
	if err != nil {
		return r, err
	}
	if err := json.Unmarshal(data, &r); err != nil || r.Kind != recordKind || r.Cluster == "" {
		if err == nil {
			err = errors.New("it isn't a record of a kind bootstrap cluster")
		}
		return r, fault.WithHint(fault.WithCode(fault.Refused, fmt.Errorf("read %s: %w", path, err)),
			"look at the containers that there are (docker ps -a --filter label=%s), remove those that are yours, and move the file away", clusterLabel)
	}
	return r, nil
}

func (c *Cluster) readRecord() (*record, error) {
	r, err := readRecord(c.dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return &r, nil
}

func (c *Cluster) writeRecord(r *record) error {
	r.Kind, r.Version, r.Name = recordKind, 1, c.Name()
	data, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		return err
	}
	if err := atomicfile.Write(recordPath(c.dir), append(data, '\n'), 0o600); err != nil {
		return fmt.Errorf("write record: %w", err)
	}
	return nil
}

// makeDir makes the directory, closed to others.
func (c *Cluster) makeDir() error {
	err := os.MkdirAll(c.dir, 0o700)
	if err == nil {
		err = os.Chmod(c.dir, 0o700)
	}
	if err != nil {
		return fault.WithHint(fault.WithCode(fault.Refused, fmt.Errorf("make state directory: %w", err)),
			"set CLUSTERCTL_STATE_HOME to a directory that you may write to")
	}
	return nil
}
