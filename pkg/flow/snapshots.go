// SPDX-License-Identifier: Apache-2.0

package flow

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/types"

	"github.com/clusterctl/clusterctl/pkg/event"
	"github.com/clusterctl/clusterctl/pkg/move"
)

// keep notes a file that a move of the cluster keeps.
func (rec *Record) keep(snapshot string) {
	if !slices.Contains(rec.Snapshots, snapshot) {
		rec.Snapshots = append(rec.Snapshots, snapshot)
	}
}

// kept are those of the noted files that are there: their user may have removed them.
func (rec *Record) kept() []string {
	var out []string
	for _, path := range rec.Snapshots {
		if isFile(path) {
			out = append(out, path)
		}
	}
	return out
}

// dropSnapshots removes what the moves of a cluster kept that was just seen to go, with its Secrets. What other clusters may need stays.
func (d *Delete) dropSnapshots(ctx context.Context) {
	for _, path := range d.record.Snapshots {
		_ = os.Remove(path + move.PartEnd)
		clusters, err := clustersIn(ctx, path)
		if err != nil || slices.ContainsFunc(clusters, func(c types.NamespacedName) bool { return c != d.Key() }) {
			continue // left names it
		}
		if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			event.Warnf(d.host.Sink, "a snapshot of the deleted cluster, with Secrets in clear text, couldn't be removed: %v", err)
		}
		_ = os.Remove(filepath.Dir(path)) // only if it is empty
	}
}

// clustersIn are the Clusters in the snapshot of a move.
func clustersIn(ctx context.Context, snapshot string) ([]types.NamespacedName, error) {
	p, err := move.PreviewRestore(ctx, move.RestoreOptions{Dir: snapshot})
	if err != nil {
		return nil, err
	}
	var out []types.NamespacedName
	for _, c := range p.Clusters() {
		out = append(out, types.NamespacedName{Namespace: c.Namespace, Name: c.Name})
	}
	return out, nil
}

// snapshotsLeft are the files in the folder of snapshots that hold the cluster, from whatever move, and those that the record names.
func (d *Delete) snapshotsLeft(ctx context.Context) []string {
	files, _ := filepath.Glob(filepath.Join(d.host.Dirs.State, "moves", "*.jsonl*")) // The pattern is well-formed.
	var out []string
	for _, path := range files {
		whole := strings.TrimSuffix(path, move.PartEnd)
		if d.record != nil && slices.Contains(d.record.Snapshots, whole) {
			out = append(out, path)
			continue
		}
		if clusters, err := clustersIn(ctx, path); err == nil && slices.Contains(clusters, d.Key()) {
			out = append(out, path)
		}
	}
	return out
}
