// SPDX-License-Identifier: Apache-2.0

package move

import (
	"bufio"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	"github.com/clusterctl/clusterctl/pkg/event"
	"github.com/clusterctl/clusterctl/pkg/kube"
)

// dropSnapshot removes the snapshot of a move that is undone, which holds Secrets in clear: nobody needs it, as every object is on the
// source, the same one as before. Else it stays, and so does one that somebody took note of ([Options.Kept]).
func (m *mover) dropSnapshot(ctx context.Context) error {
	path := m.snapshotPath()
	if path == "" || m.o.Kept != nil {
		return nil
	}
	if err := os.Remove(path + PartEnd); err != nil && !errors.Is(err, fs.ErrNotExist) { // a run was killed while it wrote it
		event.Warnf(m.o.Sink, "a part of the move's snapshot, with Secrets in clear text, couldn't be removed: %v", err)
	}
	objs, err := snapshotOf(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		if m.journal.Snapshot != "" && m.journal.By.Host != m.o.By.Host {
			event.Notef(m.o.Sink, "the move's snapshot, with Secrets in clear text, is in %s on %s: it isn't needed any more", path, cmp.Or(m.journal.By.Host, "the host that began it"))
		}
		return nil
	case err != nil:
		event.Warnf(m.o.Sink, "the move's snapshot, with Secrets in clear text, stays: %v", err)
		return nil
	}
	gone, err := m.goneFromSource(ctx, objs)
	if err != nil {
		return fmt.Errorf("source: %w", err)
	}
	if len(gone) > 0 {
		event.Warnf(m.o.Sink, "%s: not on the source any more as the move found it; the snapshot, with Secrets in clear text, stays in %s", first(gone, 3), path)
		return nil
	}
	if err := os.Remove(path); err != nil {
		event.Warnf(m.o.Sink, "the move's snapshot, with Secrets in clear text, isn't needed any more, and couldn't be removed: %v", err)
		return nil
	}
	m.journal.Snapshot = ""
	return nil
}

// snapshotPath is where the move's snapshot is; a run that was killed may not have come to note it. Empty: it keeps none.
func (m *mover) snapshotPath() string {
	if m.journal.Snapshot != "" || m.o.StateDir == "" {
		return m.journal.Snapshot
	}
	return filepath.Join(m.o.StateDir, m.journal.ID+snapshotEnd)
}

// snapshotOf reads what tells the objects of a snapshot from others.
func snapshotOf(path string) ([]*unstructured.Unstructured, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	var out []*unstructured.Unstructured
	dec := json.NewDecoder(bufio.NewReaderSize(f, 1<<20))
	for {
		var o struct {
			APIVersion, Kind string
			Snapshot         *wholeness
			Metadata         struct{ Namespace, Name, UID string }
		}
		err := dec.Decode(&o)
		if errors.Is(err, io.EOF) {
			return out, nil
		} else if err != nil {
			return nil, fmt.Errorf("understand %s: %w", path, err)
		}
		if o.Snapshot != nil {
			continue
		}
		u := &unstructured.Unstructured{Object: map[string]any{}}
		u.SetAPIVersion(o.APIVersion)
		u.SetKind(o.Kind)
		u.SetNamespace(o.Metadata.Namespace)
		u.SetName(o.Metadata.Name)
		u.SetUID(types.UID(o.Metadata.UID))
		out = append(out, u)
	}
}

// goneFromSource names those of some objects that the source doesn't have any more, or has anew, or is deleting.
func (m *mover) goneFromSource(ctx context.Context, objs []*unstructured.Unstructured) ([]string, error) {
	lists := map[listing]map[types.UID]bool{}
	var gone []string
	for _, u := range objs {
		l := listing{u.GroupVersionKind(), u.GetNamespace()}
		if lists[l] == nil {
			var err error
			if lists[l], err = m.onSource(ctx, l.gvk, l.namespace); err != nil {
				return nil, err
			}
		}
		if !lists[l][u.GetUID()] {
			gone = append(gone, fmt.Sprintf("%s %s/%s", u.GetKind(), u.GetNamespace(), u.GetName()))
		}
	}
	return gone, nil
}

// onSource are the UIDs of the objects of a kind in one of the source's namespaces that aren't being deleted.
func (m *mover) onSource(ctx context.Context, gvk schema.GroupVersionKind, namespace string) (map[types.UID]bool, error) {
	out := map[types.UID]bool{}
	return out, kube.Retry(ctx, func(ctx context.Context) error {
		list, err := m.o.Source.List(ctx, gvk, kube.ListOptions{Namespace: namespace, MetadataOnly: true})
		for _, u := range list {
			if u.GetDeletionTimestamp() == nil {
				out[u.GetUID()] = true
			}
		}
		return err
	})
}
