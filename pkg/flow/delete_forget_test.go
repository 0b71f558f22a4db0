// SPDX-License-Identifier: Apache-2.0

package flow

import (
	"crypto/sha256"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/clusterctl/clusterctl/pkg/event"
	"github.com/clusterctl/clusterctl/pkg/fault"
	"github.com/clusterctl/clusterctl/pkg/kube"
	"github.com/clusterctl/clusterctl/pkg/move"
	"github.com/clusterctl/clusterctl/pkg/workload"
)

// snapshotText is what a move keeps of Clusters of those names.
func snapshotText(names ...string) string { return snapshotIn("default", names...) }

func snapshotIn(namespace string, names ...string) string {
	var b strings.Builder
	for _, name := range names {
		b.WriteString(`{"apiVersion":"cluster.x-k8s.io/v1beta2","kind":"Cluster","metadata":{"namespace":"` + namespace + `","name":"` + name + `","uid":"u-` + name + `"}}` + "\n")
	}
	return fmt.Sprintf(`%s{"snapshot":{"objects":%d,"sha256":"%x"}}`+"\n", b.String(), len(names), sha256.Sum256([]byte(b.String())))
}

// TestSnapshotsGoWithTheCluster: what its moves kept goes with it, with the Secrets in it. What holds other clusters, or belongs to a move
// that this run knows nothing of, stays and is named, if it holds the cluster.
func TestSnapshotsGoWithTheCluster(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		file, text     string
		noted          bool
		stays, isNamed bool
	}{
		"its own":                   {file: "a.jsonl", text: snapshotText("heron"), noted: true},
		"its own, not whole":        {file: "a.jsonl.part", text: "{", noted: true},
		"with another":              {file: "a.jsonl", text: snapshotText("heron", "crane"), noted: true, stays: true, isNamed: true},
		"can't be read":             {file: "a.jsonl", text: "{", noted: true, stays: true, isNamed: true},
		"of another run":            {file: "a.jsonl", text: snapshotText("heron"), stays: true, isNamed: true},
		"of another cluster":        {file: "a.jsonl", text: snapshotText("crane"), stays: true},
		"of another, can't be read": {file: "a.jsonl", text: "{", stays: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := &Delete{record: &Record{}, opts: DeleteOptions{Target: Target{Namespace: "default", Name: "heron"}}}
			d.host.Dirs.State, d.host.Sink = t.TempDir(), event.Discard{}
			if err := os.Mkdir(filepath.Join(d.host.Dirs.State, "moves"), 0o700); err != nil {
				t.Fatal(err)
			}
			path := filepath.Join(d.host.Dirs.State, "moves", tt.file)
			writeText(t, path, tt.text)
			if tt.noted {
				d.record.keep(strings.TrimSuffix(path, move.PartEnd))
				d.record.keep(strings.TrimSuffix(path, move.PartEnd))
			}
			d.dropSnapshots(t.Context())
			if isFile(path) != tt.stays || tt.noted && len(d.record.Snapshots) != 1 {
				t.Errorf("stays: %t, noted %q", isFile(path), d.record.Snapshots)
			}
			if got := d.left(t.Context()); strings.Contains(got, path) != tt.isNamed || tt.isNamed != (got != "nothing is left") {
				t.Errorf("says %q", got)
			}
			_ = os.Remove(path)
			if kept := d.record.kept(); len(kept) > 0 {
				t.Errorf("kept %q", kept)
			}
		})
	}
}

// TestNothingToDelete: a clean-up that runs twice may take no cluster for a deleted one, but not one that is in another namespace.
func TestNothingToDelete(t *testing.T) {
	t.Parallel()
	target := Target{Name: "heron", Kubeconfig: "/nowhere"}
	for name, tt := range map[string]struct {
		err  error
		want bool
	}{
		"no such Cluster":      {&workload.NotFoundError{Namespace: "default", Name: "heron"}, true},
		"in another namespace": {fault.WithHint(&workload.NotFoundError{Name: "heron", Elsewhere: []string{"birds"}}, "give -n"), false},
		"no kubeconfig":        {unknown(fmt.Errorf("%w: looked around", kube.ErrNoConfig), target), true},
		"its file is gone":     {unknown(fmt.Errorf("read kubeconfig: %w", fs.ErrNotExist), target), true},
		"another file is gone": {unknown(fmt.Errorf("read kubeconfig: %w", fs.ErrNotExist), Target{Name: "heron"}), false},
		"it doesn't answer":    {unknown(kube.ErrUnreachable, target), false},
		"done":                 {nil, false},
	} {
		if got := NothingToDelete(tt.err); got != tt.want {
			t.Errorf("%s: %t for %v", name, got, tt.err)
		}
	}
}
