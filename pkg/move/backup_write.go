// SPDX-License-Identifier: Apache-2.0

package move

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"golang.org/x/sync/errgroup"
	"sigs.k8s.io/yaml"

	"github.com/clusterctl/clusterctl/pkg/event"
	"github.com/clusterctl/clusterctl/pkg/move/plan"
)

const (
	// parallelFiles is how many files are written at once: a disk brings several to safety in the time of one.
	parallelFiles = 8
	// longestName is what every file system takes, with room for endings.
	longestName = 240
)

// file is what is needed of an *os.File.
type file interface {
	io.WriteCloser
	Sync() error
}

func createFile(path string) (file, error) {
	return os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
}

// backupWriter writes one backup.
type backupWriter struct {
	o        BackupOptions
	dir      string
	plan     *plan.Plan
	contents *contents

	mu   sync.Mutex
	done int
}

// write writes next to the folder, and takes its place at the end.
func (w *backupWriter) write(ctx context.Context) error {
	part, err := newPart(w.dir)
	if err != nil {
		return err
	}
	defer part.remove()
	g, gctx := errgroup.WithContext(ctx)
	g.SetLimit(parallelFiles)
	for _, o := range w.plan.Objects {
		g.Go(func() error {
			if err := context.Cause(gctx); err != nil {
				return err
			}
			return w.object(part.path, o)
		})
	}
	if err := g.Wait(); err != nil {
		return err
	}
	data, err := yaml.Marshal(w.contents)
	if err != nil {
		return err
	}
	if err := w.file(filepath.Join(part.path, manifestName), data); err != nil {
		return err
	}
	if err := syncDir(part.path); err != nil {
		return err
	}
	part.unlock()
	if err := takePlace(part.path, w.dir); err != nil {
		return err
	}
	return syncDir(filepath.Dir(w.dir))
}

// object writes an object's file.
func (w *backupWriter) object(dir string, o *plan.Object) error {
	data, err := encodeFile(o.Source)
	if err != nil {
		return fmt.Errorf("%s: %w", o.Key, err)
	}
	name := fileName(o)
	if w.o.Encrypt != nil && isSecret(o.Source) {
		if data, err = w.o.Encrypt(data); err != nil {
			return fmt.Errorf("encrypt %s: %w", o.Key, err)
		}
		name += encryptedEnd
	}
	if err := w.file(filepath.Join(dir, name), data); err != nil {
		return err
	}
	sum := sha256.Sum256(data)
	w.mu.Lock()
	defer w.mu.Unlock()
	w.contents.Files[name] = hex.EncodeToString(sum[:])
	w.done++
	if w.done%100 == 0 {
		event.Progressf(w.o.Sink, "backup", "%d of %d objects", w.done, len(w.plan.Objects))
	}
	return nil
}

// file writes a file that is on the disk when it returns.
func (w *backupWriter) file(path string, data []byte) error {
	f, err := w.o.create(path)
	if err != nil {
		return err
	}
	if _, err = f.Write(data); err == nil {
		err = f.Sync()
	}
	return errors.Join(err, f.Close())
}

// fileName has all that identifies an object: kinds of one name in two groups don't overwrite each other. None of the parts has an
// underscore. Nobody reads it back: what a file is about stands in it.
func fileName(o *plan.Object) string {
	name := strings.ReplaceAll(strings.Join([]string{o.Kind, o.Group, o.Namespace, o.Name}, "_"), ":", "%3A")
	if len(name) > longestName {
		sum := sha256.Sum256([]byte(name))
		end := "~" + hex.EncodeToString(sum[:6])
		name = name[:longestName-len(end)] + end
	}
	return name + ".yaml"
}
