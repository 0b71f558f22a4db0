// SPDX-License-Identifier: Apache-2.0

package flow

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"github.com/gofrs/flock"

	"github.com/clusterctl/clusterctl/pkg/fault"
)

// holder says who holds a run's lock, for the message to the second one.
type holder struct {
	PID     int       `json:"pid"`
	Command string    `json:"command"`
	Since   time.Time `json:"since"`
}

// Lock takes the lock of a run, so that two commands never work on one name at a
// time. The kernel releases it when the process ends, however it ends; unlock
// removes its files as well, and the directory where nothing else is in it. It returns an error of class Refused, naming the
// holder, if the lock is taken.
func (r *Records) Lock(namespace, name, command string) (unlock func(), err error) {
	path := filepath.Join(r.dir, namespace+"_"+name+".lock")
	who := path + ".holder" // beside the lock: some systems don't let others read a locked file
	l, err := lockFile(path)
	if err != nil {
		return nil, refused(badState(fmt.Errorf("lock run: %w", err)))
	}
	if l == nil {
		return nil, taken(who, namespace, name)
	}
	data, err := json.Marshal(holder{PID: os.Getpid(), Command: command, Since: time.Now().UTC().Truncate(time.Second)})
	if err == nil {
		_ = os.WriteFile(who, data, 0o600) // only for the message; the lock holds without it
	}
	return func() {
		_ = os.Remove(who)
		_ = os.Remove(path)
		_ = os.Remove(r.dir) // only if it is empty
		_ = l.Unlock()
	}, nil
}

// badState is a fault of the folder that keeps what must not be lost. Its class is for the caller: who begins something is refused.
func badState(err error) error {
	if errors.Is(err, syscall.ENOSPC) {
		return fault.WithHint(err, "free some space, or set CLUSTERCTL_STATE_HOME to a directory on another disk")
	}
	return fault.WithHint(err, "set CLUSTERCTL_STATE_HOME to a directory that you may write to")
}

// lockFile locks the file at path, or returns nil if another process holds it.
// The holder removes the file before it unlocks, so a lock counts only if the file
// that was locked is still the one at path.
func lockFile(path string) (*flock.Flock, error) {
	for {
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			return nil, err
		}
		l := flock.New(path, flock.SetPermissions(0o600))
		ok, err := l.TryLock()
		if errors.Is(err, fs.ErrNotExist) {
			continue // The holder of another lock has removed the directory.
		}
		if err != nil || !ok {
			_ = l.Close()
			return nil, err
		}
		same, err := isCurrent(l, path)
		if err != nil || same {
			return l, err
		}
		_ = l.Close()
	}
}

func isCurrent(l *flock.Flock, path string) (bool, error) {
	mine, err := l.Stat()
	if err != nil {
		return false, err
	}
	now, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	return os.SameFile(mine, now), nil
}

func taken(who, namespace, name string) error {
	by := "another clusterctl"
	var h holder
	if data, err := os.ReadFile(who); err == nil && json.Unmarshal(data, &h) == nil && h.PID != 0 {
		by = fmt.Sprintf("%q (process %d, since %s)", h.Command, h.PID, h.Since.Local().Format(time.TimeOnly))
	}
	return fault.WithHint(fault.Refusedf("cluster %s/%s is being worked on by %s", namespace, name, by),
		"wait until it has ended, or stop it with Ctrl-C and run this again")
}
