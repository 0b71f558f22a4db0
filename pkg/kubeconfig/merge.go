// SPDX-License-Identifier: Apache-2.0

package kubeconfig

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/clusterctl/clusterctl/pkg/event"
	"github.com/clusterctl/clusterctl/pkg/fault"
)

// MergeOptions say how to merge.
type MergeOptions struct {
	// Path is the file to merge into; it is made if it doesn't exist. See [UserFile].
	Path string
	// Others are files that kubectl reads after Path. Nothing is written to them, but
	// an entry of Path hides one of the same name in them.
	Others []string
	// MakeDir allows to make the directory of Path (0700).
	MakeDir bool
	// Force allows to replace, or to hide, different entries of the same name.
	Force bool
	// SetCurrent makes the merged context the current one. Without it current-context stays as it is.
	SetCurrent bool
	// Sink gets notes while a lock is waited for; may be nil.
	Sink event.Sink
	// Now dates the backup; default [time.Now].
	Now func() time.Time
}

// MergeResult says what [Merge] did.
type MergeResult struct {
	// Path is the file merged into.
	Path string
	// Context is the name of the context there.
	Context string
	// Changed is false if everything was there already.
	Changed bool
	// Backup is the copy made before the change, "" if there was nothing to copy.
	Backup string
	// Current is the current-context of the file now, "" if it has none.
	Current string
}

// Merge adds the clusters, users and contexts of k to a kubeconfig file. Other entries,
// unknown fields, comments and order stay; a copy FILE.bak-TIME (0600) is made before.
// Runs at the same time wait for each other. A different entry of the same name is
// replaced only with Force, else the error is a [*ConflictError]. On any error the
// file is as it was.
func Merge(ctx context.Context, k *Kubeconfig, opts MergeOptions) (MergeResult, error) {
	if opts.MakeDir {
		if err := os.MkdirAll(filepath.Dir(opts.Path), 0o700); err != nil {
			return MergeResult{}, fail(opts.Path, err)
		}
	}
	t, err := resolve(opts.Path)
	if err != nil {
		return MergeResult{}, err
	}
	if t.special {
		return MergeResult{}, fault.Usagef("merge into %s: that is not a regular file", opts.Path)
	}
	unlock, err := lockFile(ctx, t.path, opts.Sink)
	if err != nil {
		return MergeResult{}, err
	}
	defer unlock()
	for _, path := range lockPaths(opts.Path, t) {
		done, err := lockKubectl(ctx, path, opts.Sink)
		if err != nil {
			return MergeResult{}, err
		}
		defer done()
	}
	// An editor knows no lock: when it wrote in between, begin again from what is there now.
	for range 10 {
		if ctx.Err() != nil {
			return MergeResult{}, ctx.Err()
		}
		result, err := mergeOnce(k, opts)
		if !errors.Is(err, errChanged) {
			return result, err
		}
	}
	return MergeResult{}, fmt.Errorf("merge into %s: something else keeps changing it", opts.Path)
}

// lockPaths are the names that kubectl may know the file by: it doesn't follow links for its lock.
func lockPaths(path string, t target) []string {
	if filepath.Clean(path) == t.path {
		return []string{t.path}
	}
	if a, err := filepath.Abs(path); err == nil && a == t.path {
		return []string{t.path}
	}
	return []string{path, t.path}
}

var errChanged = errors.New("changed in between")

func mergeOnce(k *Kubeconfig, opts MergeOptions) (MergeResult, error) {
	t, err := resolve(opts.Path)
	if err != nil {
		return MergeResult{}, err
	}
	old, err := os.ReadFile(t.path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return MergeResult{}, fmt.Errorf("read kubeconfig %s: %w", opts.Path, err)
	}
	next, err := merged(old, k, opts)
	if err != nil {
		if still := unchanged(t, old); still != nil {
			err = still // what was read may have been half of a file
		}
		return MergeResult{}, err
	}
	result := MergeResult{Path: opts.Path, Context: k.Context(), Current: next.scalar("current-context")}
	if next.unchanged {
		return result, nil
	}
	if len(old) > 0 {
		if result.Backup, err = backup(t, old, opts); err != nil {
			return MergeResult{}, fault.WithHint(fmt.Errorf("make a backup: %w", err), "%s is as it was before", opts.Path)
		}
	}
	if err := replaceIf(t, old, next.text); err != nil {
		if result.Backup != "" {
			_ = os.Remove(result.Backup)
		}
		if errors.Is(err, errChanged) {
			return MergeResult{}, err
		}
		return MergeResult{}, fault.WithHint(fail(opts.Path, err), "%s is as it was before", opts.Path)
	}
	result.Changed = true
	return result, nil
}

// replaceIf replaces t only if it still holds what was read.
func replaceIf(t target, old, next []byte) error {
	if err := unchanged(t, old); err != nil {
		return err
	}
	return replace(t, next)
}

// unchanged returns errChanged if t holds something else than what was read.
func unchanged(t target, old []byte) error {
	now, err := os.ReadFile(t.path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if !bytes.Equal(now, old) {
		return errChanged
	}
	return nil
}

// backup copies what was read to FILE.bak-TIME; two in one second get a number.
func backup(t target, old []byte, opts MergeOptions) (string, error) {
	now := time.Now
	if opts.Now != nil {
		now = opts.Now
	}
	base := t.path + ".bak-" + now().UTC().Format("20060102T150405Z")
	name := base
	for n := 2; ; n++ {
		f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
		if errors.Is(err, fs.ErrExist) && n < 10000 {
			name = fmt.Sprintf("%s-%d", base, n)
			continue
		}
		if err != nil {
			return "", fail(name, err)
		}
		if err := fill(f, old); err != nil {
			_ = f.Close()
			_ = os.Remove(name)
			return "", fail(name, err)
		}
		if t.info != nil {
			keepOwner(name, t.info)
		}
		return name, nil
	}
}
