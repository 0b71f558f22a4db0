// SPDX-License-Identifier: Apache-2.0

package kind

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"sigs.k8s.io/kind/pkg/cluster/nodes"

	"github.com/clusterctl/clusterctl/pkg/event"
	"github.com/clusterctl/clusterctl/pkg/fault"
)

const manager = "registry/manager:v1"

// loads is a cluster that is made with an archive and an image of the engine, and what it says.
type loads struct {
	*Cluster
	engine  *fakeEngine
	archive string
	said    []string
}

func newLoads(t *testing.T) *loads {
	t.Helper()
	l := &loads{engine: newFake(), archive: filepath.Join(t.TempDir(), "my.tar")}
	l.engine.images = map[string]string{manager: "sha256:1"}
	l.write(t, "first")
	l.Cluster = newTest(t, l.engine, Options{LoadImages: []string{l.archive, manager}}, nil)
	if got, err := l.ensure(t); err != nil || !slices.Equal(got, l.opts.LoadImages) {
		t.Fatalf("a new cluster gets %q, %v", got, err)
	}
	return l
}

func (l *loads) write(t *testing.T, text string) {
	t.Helper()
	if err := os.WriteFile(l.archive, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// ensure says what it sends to the nodes.
func (l *loads) ensure(t *testing.T) ([]string, error) {
	t.Helper()
	l.engine.loaded, l.said = nil, nil
	err := l.Ensure(t.Context(), event.Func(func(e event.Event) {
		if e.Kind == event.Warn || e.Kind == event.Note {
			l.said = append(l.said, string(e.Kind)+": "+e.Message)
		}
	}))
	return l.engine.loaded, err
}

// What the nodes have isn't sent again; what has changed is, and what is gone keeps nobody from a cluster that is there.
func TestImagesAreLoadedOnce(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		change func(*testing.T, *loads)
		want   func(*loads) []string
		says   string
	}{
		"nothing changed":       {change: func(*testing.T, *loads) {}},
		"the archive grew":      {change: func(t *testing.T, l *loads) { l.write(t, "another build") }, want: func(l *loads) []string { return []string{l.archive} }},
		"the archive is newer":  {change: newer, want: func(l *loads) []string { return []string{l.archive} }},
		"the image was rebuilt": {change: func(_ *testing.T, l *loads) { l.engine.images[manager] = "sha256:2" }, want: func(*loads) []string { return []string{manager} }},
		"the archive is gone":   {change: func(t *testing.T, l *loads) { remove(t, l.archive) }, says: "note: load image: stat"},
		"the image is gone":     {change: func(_ *testing.T, l *loads) { l.engine.images = nil }, says: "note: load image " + manager},
		"it never was there":    {change: func(_ *testing.T, l *loads) { l.opts.LoadImages = []string{"registry/typo:v1"} }, says: "warn: load image registry/typo:v1"},
		"other nodes":           {change: otherNodes, want: func(l *loads) []string { return l.opts.LoadImages }},
		"stopped containers": {change: func(t *testing.T, l *loads) {
			if err := l.engine.stop(t.Context(), []string{"id1"}); err != nil {
				t.Fatal(err)
			}
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := newLoads(t)
			tt.change(t, l)
			var want []string
			if tt.want != nil {
				want = tt.want(l)
			}
			got, err := l.ensure(t)
			if err != nil || !slices.Equal(got, want) {
				t.Errorf("sent %q, want %q: %v", got, want, err)
			}
			if said := strings.Join(l.said, "\n"); !strings.HasPrefix(said, tt.says) || (said == "") != (tt.says == "") {
				t.Errorf("said %q, want %q", said, tt.says)
			}
			if got, err := l.ensure(t); err != nil || len(got) != 0 {
				t.Errorf("sent again: %q, %v", got, err)
			}
		})
	}
}

func newer(t *testing.T, l *loads) {
	t.Helper()
	then := time.Now().Add(time.Minute)
	if err := os.Chtimes(l.archive, then, then); err != nil {
		t.Fatal(err)
	}
}

func remove(t *testing.T, file string) {
	t.Helper()
	if err := os.Remove(file); err != nil {
		t.Fatal(err)
	}
}

// otherNodes is a record that notes what containers got that aren't those of now.
func otherNodes(t *testing.T, l *loads) {
	t.Helper()
	rec, err := l.readRecord()
	if err != nil {
		t.Fatal(err)
	}
	for image, note := range rec.Loaded {
		rec.Loaded[image] = loaded{Source: note.Source, Nodes: []string{"id7"}}
	}
	if err := l.writeRecord(rec); err != nil {
		t.Fatal(err)
	}
}

// Who only asks a cluster for what it holds, as a deletion does, needs none of its images.
func TestBringBackLoadsNothing(t *testing.T) {
	t.Parallel()
	l := newLoads(t)
	l.write(t, "another build")
	l.engine.images, l.engine.loaded = nil, nil
	if err := l.BringBack(t.Context(), nil); err != nil || len(l.engine.loaded) != 0 {
		t.Errorf("sent %q: %v", l.engine.loaded, err)
	}
}

// What came onto some nodes only, or was interrupted, is sent again.
func TestAFailedLoadIsNotNoted(t *testing.T) {
	t.Parallel()
	l := newLoads(t)
	l.write(t, "another build")
	l.engine.loadErr = errors.New("no space left on device")
	if _, err := l.ensure(t); err == nil || !strings.Contains(err.Error(), "no space left") {
		t.Errorf("%v", err)
	}
	l.engine.loadErr = nil
	if got, err := l.ensure(t); err != nil || !slices.Equal(got, []string{l.archive}) {
		t.Errorf("sent %q: %v", got, err)
	}
}

// A new cluster is for what its images run: what is missing is said before the first container, all of it, with what to do.
func TestANewClusterNeedsItsImages(t *testing.T) {
	t.Parallel()
	f := newFake()
	gone := filepath.Join(t.TempDir(), "saved-images") // It doesn't look like an archive.
	c := newTest(t, f, Options{LoadImages: []string{gone, manager}}, nil)
	err := c.Ensure(t.Context(), nil)
	if err == nil || f.made != 0 || !strings.Contains(err.Error(), gone) || !strings.Contains(err.Error(), manager) {
		t.Fatalf("made %d: %v", f.made, err)
	}
	hints := strings.Join(fault.Hints(err), "\n")
	for _, want := range []string{"put the archive back", "docker pull " + manager, "--load-images"} {
		if !strings.Contains(hints, want) {
			t.Errorf("hints lack %q: %s", want, hints)
		}
	}
}

// Between two nodes there is time to stop: archives are big. The node is none, so that it would be seen if it was asked.
func TestAnInterruptedLoadStopsBeforeTheNextNode(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancelCause(t.Context())
	enough := errors.New("enough")
	cancel(enough)
	if err := loadArchive(ctx, []nodes.Node{nil}, filepath.Join(t.TempDir(), "my.tar")); !errors.Is(err, enough) {
		t.Error(err)
	}
}

// TestImagesAreLoadedWhileKindWorks: kind waits for the control plane; a cluster that is made has all images once, whether that came to
// its end or not, and one that isn't made keeps nobody waiting.
func TestImagesAreLoadedWhileKindWorks(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		whileMade int
		createErr error
		want      int // at least
	}{
		"all of them":    {2, nil, 2},
		"one of them":    {1, nil, 2},
		"it isn't made":  {1, errors.New("the control plane doesn't start"), 1},
		"kind is faster": {0, nil, 2},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newFake()
			f.images = map[string]string{manager: "sha256:1", "other": "sha256:2"}
			f.whileMade, f.createErr = tt.whileMade, tt.createErr
			c := newTest(t, f, Options{LoadImages: []string{manager, "other"}}, nil)
			err := c.Ensure(t.Context(), nil)
			if !errors.Is(err, tt.createErr) || f.loads() < tt.want || tt.createErr == nil && !slices.Equal(f.loaded, c.opts.LoadImages) {
				t.Errorf("loaded %q: %v", f.loaded, err)
			}
			if tt.createErr != nil && f.count() != 0 {
				t.Errorf("%d containers left", f.count())
			}
		})
	}
}
