// SPDX-License-Identifier: Apache-2.0

package flow

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sort"
	"strings"
	"time"

	"github.com/clusterctl/clusterctl/pkg/bootstrap"
	"github.com/clusterctl/clusterctl/pkg/fault"
)

// Record is what a run leaves behind for later commands about the same cluster. It holds no secrets.
type Record struct {
	// Version is the version of this format.
	Version int `json:"version"`
	// Name and Namespace are those of the Cluster.
	Name      string `json:"name"`
	Namespace string `json:"namespace"`
	// Created is when the first run began.
	Created time.Time `json:"created"`
	// Bootstrap says which management cluster the Cluster was made on.
	Bootstrap BootstrapRecord `json:"bootstrap"`
	// Kind says how its kind bootstrap cluster was made, so that an interrupted run goes on the same way.
	Kind KindOptions `json:"kind,omitzero"`
	// Providers are the versions that were chosen for providers by label, so that a later run doesn't meet a newer release.
	Providers map[string]string `json:"providers,omitempty"`
	// Inputs are the flags of the last run that gave any, so that `create cluster NAME` alone goes on.
	Inputs Inputs `json:"inputs"`
	// Variables are the names of the variables that --set gave values then. The values aren't kept: they may be secret.
	Variables []string `json:"variables,omitempty"`
	// Kubeconfig is the absolute path of the workload cluster's kubeconfig that we wrote, KubeconfigSHA256 its content then.
	Kubeconfig       string `json:"kubeconfig,omitempty"`
	KubeconfigSHA256 string `json:"kubeconfigSHA256,omitempty"`
	// OtherKubeconfigs are files that earlier runs wrote it to, and that go with the cluster as well.
	OtherKubeconfigs []WrittenFile `json:"otherKubeconfigs,omitempty"`
	// Pivot is how far the move of the cluster's objects into the cluster itself is, or out of it again.
	Pivot PivotState `json:"pivot,omitempty"`
	// Self is how the cluster itself is reached as a management cluster, once it manages itself or did.
	Self *BootstrapRecord `json:"self,omitempty"`
	// Snapshot is the file with the objects that a move out of the cluster itself keeps. It goes out of date with the next move.
	Snapshot string `json:"snapshot,omitempty"`
	// Snapshots are all files that moves of the cluster kept, with Secrets in clear text. They go with the cluster.
	Snapshots []string `json:"snapshots,omitempty"`
	// Released says that this move had come to where the cluster itself gives its objects up: from there on it doesn't act on them.
	Released bool `json:"released,omitempty"`
	// Applied says that a run may have written the Cluster's objects.
	Applied bool `json:"applied,omitempty"`
	// Deleting says that a deletion found the Cluster, and was about to delete it.
	Deleting bool `json:"deleting,omitempty"`
	// ClusterGone says that a deletion saw the Cluster and all of its objects gone; what is left is the clean-up.
	ClusterGone bool `json:"clusterGone,omitempty"`
}

// BootstrapRecord says which bootstrap cluster a run uses.
type BootstrapRecord struct {
	// Type is local, kind or existing.
	Type bootstrap.Type `json:"type"`
	// Name is the name of a bootstrap cluster that we made.
	Name string `json:"name,omitempty"`
	// Kubeconfig is the absolute path that was given for an existing one; empty means the usual rules.
	Kubeconfig string `json:"kubeconfig,omitempty"`
	// Context is the kubeconfig context that was given, or the current one of then.
	Context string `json:"context,omitempty"`
	// UID is which cluster an existing one is, that of its namespace kube-system: a path and a context may lead to another one
	// later. Server is the address that it had. Records of older versions have neither.
	UID    string `json:"uid,omitempty"`
	Server string `json:"server,omitempty"`
	// Made says that a run of ours made it, so that deleting the cluster may delete it too.
	Made bool `json:"made,omitempty"`
	// Itself says that this is the cluster itself.
	Itself bool `json:"itself,omitempty"`
	// Ready says that a run had it up, so that it may hold the Cluster.
	Ready bool `json:"ready,omitempty"`
}

const recordVersion = 1

// ErrNoRecord says that no run of that name is known.
var ErrNoRecord = errors.New("no record of a run")

// Records keeps run records in one directory.
type Records struct {
	dir string
}

// OpenRecords returns the records under the state directory. Nothing is read or made yet.
func OpenRecords(stateDir string) *Records {
	return &Records{dir: filepath.Join(stateDir, "runs")}
}

// Load returns the record of a Cluster. It returns ErrNoRecord if there is none.
func (r *Records) Load(namespace, name string) (*Record, error) {
	return r.read(r.path(namespace, name))
}

// List returns all records, by namespace and name.
func (r *Records) List() ([]*Record, error) { return r.list(".json") }

// list returns the records whose file's name ends in suffix.
func (r *Records) list(suffix string) ([]*Record, error) {
	if _, err := os.ReadDir(r.dir); err != nil && !errors.Is(err, fs.ErrNotExist) { // A folder that can't be read isn't one without records.
		return nil, refused(badState(fmt.Errorf("list run records: %w", err)))
	}
	files, err := filepath.Glob(filepath.Join(r.dir, "*.json"))
	if err != nil {
		return nil, fmt.Errorf("list run records: %w", err)
	}
	sort.Strings(files)
	out := make([]*Record, 0, len(files))
	var faults fault.List
	for _, f := range files {
		if !strings.HasSuffix(f, suffix) {
			continue
		}
		rec, err := r.read(f)
		if errors.Is(err, ErrNoRecord) {
			continue // deleted by another run between the listing and now
		}
		if err != nil {
			faults.Add(err)
			continue
		}
		out = append(out, rec)
	}
	return out, faults.Err()
}

// Find returns the records of all Clusters of that name, in every namespace. Damaged records of others don't matter.
func (r *Records) Find(name string) ([]*Record, error) { return r.list("_" + name + ".json") }

// Save writes a record, whole or not at all.
func (r *Records) Save(rec *Record) error {
	rec.Version = recordVersion
	data, err := json.MarshalIndent(rec, "", "  ")
	if err != nil {
		return fmt.Errorf("write run record: %w", err)
	}
	if err := writePrivate(r.path(rec.Namespace, rec.Name), append(data, '\n')); err != nil {
		return badState(fmt.Errorf("write run record: %w", err))
	}
	return nil
}

// Remove forgets a record. A record that isn't there is no error.
// What a run that was killed while it wrote the record left goes too.
func (r *Records) Remove(namespace, name string) error {
	if err := os.Remove(r.kubeconfigPath(namespace, name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("remove run record: %w", err)
	}
	torn, _ := filepath.Glob(filepath.Join(r.dir, "."+filepath.Base(r.path(namespace, name))+"-*"))
	for _, f := range torn {
		_ = os.Remove(f)
	}
	if err := os.Remove(r.path(namespace, name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("remove run record: %w", err)
	}
	return nil
}

// whole says whether a record is what a run writes: without a version, or about another Cluster than its file's name says, it isn't, and
// nothing may be concluded from what it doesn't say.
func (rec *Record) whole(path string) error {
	switch base := strings.TrimSuffix(filepath.Base(path), ".json"); {
	case rec.Version < 1:
		return errors.New("it has no version")
	case rec.Namespace+"_"+rec.Name != base:
		return fmt.Errorf("it is about cluster %s/%s", rec.Namespace, rec.Name)
	}
	return nil
}

// path joins namespace and name with a character that neither may hold.
func (r *Records) path(namespace, name string) string {
	return filepath.Join(r.dir, namespace+"_"+name+".json")
}

func (r *Records) read(path string) (*Record, error) {
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		base := strings.TrimSuffix(filepath.Base(path), ".json")
		return nil, fmt.Errorf("%s: %w", strings.Replace(base, "_", "/", 1), ErrNoRecord)
	}
	if err != nil {
		return nil, refused(badState(fmt.Errorf("read run record: %w", err)))
	}
	rec := &Record{}
	err = json.Unmarshal(data, rec)
	if err == nil {
		err = rec.whole(path)
	}
	if err != nil {
		return nil, fault.WithHint(fmt.Errorf("read run record %s: %w", path, err),
			"the file is damaged; move it away and name the management cluster with --kubeconfig")
	}
	if rec.Version > recordVersion {
		return nil, fault.WithHint(fmt.Errorf("run record %s has version %d, this clusterctl knows %d", path, rec.Version, recordVersion),
			"use the clusterctl that wrote it, or a newer one")
	}
	return rec, nil
}
