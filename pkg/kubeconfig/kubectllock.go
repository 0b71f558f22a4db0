// SPDX-License-Identifier: Apache-2.0

package kubeconfig

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"time"

	"github.com/clusterctl/clusterctl/pkg/event"
	"github.com/clusterctl/clusterctl/pkg/fault"
)

const (
	// kubectl holds its lock for milliseconds: one that is older than kubectlStale was left behind.
	kubectlWait  = 5 * time.Second
	sayAfter     = 100 * time.Millisecond
	kubectlStale = time.Minute
	// ourMark begins the text in a lock of ours. kubectl's are empty.
	ourMark = "clusterctl, process "
)

// lockKubectl takes the lock that kubectl, and everything else that writes with client-go, takes: FILE.lock, which must
// not exist. The system doesn't remove it when its process is killed. Ours says that it is ours: whoever calls this holds
// the lock of lockFile, so a lock of ours that is there all the same was left behind by a killed run, and goes.
func lockKubectl(ctx context.Context, path string, sink event.Sink) (unlock func(), err error) {
	name := path + ".lock"
	began, said := time.Now(), false
	var last, seen time.Time // the lock that was there last, and when it was first seen
	for {
		switch err := makeLock(name); {
		case err == nil:
			return func() { _ = os.Remove(name) }, nil
		case !errors.Is(err, fs.ErrExist):
			return func() {}, nil // The folder takes no new file: the write will say why.
		}
		since, by := lockHolder(name)
		if !since.Equal(last) { // it changed hands: nobody sits on it
			last, seen = since, time.Now()
		}
		switch {
		case by == us:
			_ = os.Remove(name)
			continue
		case since.IsZero():
			continue // gone in between
		case time.Since(since) > kubectlStale:
			event.Warnf(sink, "%s was left behind by a killed %s, going on; remove it, kubectl can't change the file before", name, by)
			return func() {}, nil
		case time.Since(seen) > kubectlWait, time.Since(began) > lockTimeout:
			return nil, fault.WithHint(fault.Refusedf("change %s: %s has locked it with %s since %s", path, by, name, since.Format(time.TimeOnly)),
				"try again, or remove %s if no %s is running", name, by)
		case !said && time.Since(began) > sayAfter:
			event.Notef(sink, "waiting for %s to finish with %s", by, path)
			said = true
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(lockPoll):
		}
	}
}

// makeLock makes a lock that says whose it is. It returns fs.ErrExist while there is one.
func makeLock(name string) error {
	f, err := os.OpenFile(name, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o644) //nolint:gosec // it holds no secret, and others have to see whose it is
	if err != nil {
		return err
	}
	_, _ = fmt.Fprintf(f, "%s%d\n", ourMark, os.Getpid()) // For the message, and for the next run of ours; the lock holds without it.
	return f.Close()
}

const us = "clusterctl"

// lockHolder says since when there is a lock, and whose it is; the zero time if there is none.
func lockHolder(name string) (since time.Time, by string) {
	info, err := os.Stat(name)
	if err != nil {
		return time.Time{}, ""
	}
	if text, err := os.ReadFile(name); err == nil && strings.HasPrefix(string(text), ourMark) {
		return info.ModTime(), us
	}
	return info.ModTime(), "kubectl"
}
