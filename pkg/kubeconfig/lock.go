// SPDX-License-Identifier: Apache-2.0

package kubeconfig

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"time"

	"github.com/gofrs/flock"

	"github.com/clusterctl/clusterctl/pkg/event"
	"github.com/clusterctl/clusterctl/pkg/fault"
)

const (
	lockTimeout = 30 * time.Second
	lockPoll    = 20 * time.Millisecond
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
