// SPDX-License-Identifier: Apache-2.0

package kubeconfig

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/gofrs/flock"

	"github.com/clusterctl/clusterctl/pkg/event"
	"github.com/clusterctl/clusterctl/pkg/fault"
)

const (
	lockTimeout = 30 * time.Second
	lockPoll    = 20 * time.Millisecond
	// kubectl holds its lock for milliseconds: one that is older than kubectlStale was left behind.
	kubectlWait  = 5 * time.Second
	sayAfter     = 100 * time.Millisecond
	kubectlStale = time.Minute
)

// lockFile takes the lock of a kubeconfig against other runs of ours. The system drops the lock when its process ends, so
// none is ever left behind; the empty lock file stays.
func lockFile(ctx context.Context, path string, sink event.Sink) (unlock func(), err error) {
	name := filepath.Join(filepath.Dir(path), "."+filepath.Base(path)+".clusterctl.lock")
	// Readable by all: after a run with sudo the owner of the file has to get at it too.
	lock := flock.New(name, flock.SetPermissions(0o644))
	wait, cancel := context.WithTimeout(ctx, lockTimeout)
	defer cancel()
	got, err := lock.TryLock()
	if err == nil && !got {
		event.Notef(sink, "waiting for another clusterctl that is changing %s", path)
		_, err = lock.TryLockContext(wait, lockPoll)
	}
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case errors.Is(err, context.DeadlineExceeded):
		return nil, fault.Timeoutf("lock %s: another clusterctl has held it for %s", path, lockTimeout)
	case err != nil:
		return nil, fmt.Errorf("lock kubeconfig %s with %s: %w", path, name, cause(err))
	}
	return func() { _ = lock.Close() }, nil
}

// kubectlLock says whether kubectl is writing to a file, or was killed while it did.
func kubectlLock(path string) (held, leftBehind bool) {
	info, err := os.Stat(path + ".lock")
	if err != nil {
		return false, false
	}
	old := time.Since(info.ModTime()) > kubectlStale
	return !old, old
}

// awaitKubectl waits until kubectl is done. It doesn't make a lock of kubectl's kind
// itself: killed in between, that would stop kubectl from ever writing again.
func awaitKubectl(ctx context.Context, path string, sink event.Sink) error {
	deadline := time.Now().Add(kubectlWait)
	for said := false; ; {
		held, leftBehind := kubectlLock(path)
		if leftBehind {
			event.Warnf(sink, "%s.lock was left behind by a killed kubectl, going on; remove it, kubectl can't change the file before", path)
		}
		if !held {
			return nil
		}
		if !said && time.Now().After(deadline.Add(sayAfter-kubectlWait)) {
			event.Notef(sink, "waiting for kubectl to finish with %s", path)
			said = true
		}
		if time.Now().After(deadline) {
			return fault.WithHint(fault.Refusedf("change %s: kubectl has locked it with %s.lock", path, path),
				"try again, or remove %s.lock if no kubectl is running", path)
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(lockPoll):
		}
	}
}
