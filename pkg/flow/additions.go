// SPDX-License-Identifier: Apache-2.0

package flow

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/clusterctl/clusterctl/pkg/event"
	"github.com/clusterctl/clusterctl/pkg/fault"
	"github.com/clusterctl/clusterctl/pkg/kube"
)

// additions is what runs of ours put on an existing cluster to make it a management cluster, so that it comes out as it went in when the
// last cluster is gone from it. It is kept by the UID of the cluster's kube-system namespace: several runs may use one cluster, under
// several kubeconfigs.
type additions struct {
	path string
	// Objects weren't there before.
	Objects []kube.Ref `json:"objects"`
}

// additionsTo has use work on what is known of a cluster; without a file that is nothing. Several runs may use one cluster: one at a time
// works on it. Who had to wait sees the cluster with fresh eyes.
func additionsTo(ctx context.Context, c *kube.Client, h Host, use func(*additions) error) error {
	uid, err := c.UID(ctx)
	if err != nil {
		return err
	}
	path := filepath.Join(h.Dirs.State, "existing", uid+".json")
	unlock, err := lockAdditions(ctx, path+".lock", h.Sink, c.Invalidate)
	if err != nil {
		return fmt.Errorf("note what is installed on %s: %w", c.Host(), err)
	}
	defer unlock()
	a, err := readAdditions(path)
	if err != nil {
		return err
	}
	return use(a)
}

// lockInterval is how often a taken lock is tried again.
const lockInterval = 200 * time.Millisecond

// lockAdditions takes the lock at path, and calls fresh if somebody else had it before.
func lockAdditions(ctx context.Context, path string, sink event.Sink, fresh func()) (unlock func(), err error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return nil, err
	}
	for waited := false; ; waited = true {
		l, err := lockFile(path)
		if errors.Is(err, fs.ErrNotExist) { // the directory went with somebody's last note
			err = os.MkdirAll(filepath.Dir(path), 0o700)
		}
		if err != nil {
			return nil, err
		}
		if l != nil {
			if waited {
				fresh()
			}
			return func() {
				_ = os.Remove(path)
				_ = l.Unlock()
				_ = os.Remove(filepath.Dir(path)) // if it was the last file there
			}, nil
		}
		if !waited {
			event.Notef(sink, "waiting for another clusterctl that works on the same management cluster")
		}
		select {
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		case <-time.After(lockInterval):
		}
	}
}

func readAdditions(path string) (*additions, error) {
	a := &additions{path: path}
	data, err := os.ReadFile(a.path)
	if errors.Is(err, fs.ErrNotExist) {
		return a, nil
	} else if err != nil {
		return nil, fmt.Errorf("read what was installed there: %w", err)
	}
	if err := json.Unmarshal(data, a); err != nil {
		return nil, fault.WithHint(fmt.Errorf("read what was installed there: %s is damaged: %w", a.path, err),
			"move the file away, or leave what is installed there: --keep-providers")
	}
	return a, nil
}

// add notes objects before they are created.
func (a *additions) add(refs []kube.Ref) error {
	known := len(a.Objects)
	for _, r := range refs {
		if !slices.Contains(a.Objects, r) {
			a.Objects = append(a.Objects, r)
		}
	}
	if len(a.Objects) == known {
		return nil
	}
	return a.save()
}

func (a *additions) save() error {
	data, err := json.Marshal(a)
	if err != nil {
		return err
	}
	if err := writePrivate(a.path, data); err != nil {
		return fmt.Errorf("note what is installed: %w", err)
	}
	return nil
}

// forget drops the note, but for those that are still to be looked at.
func (a *additions) forget(but ...kube.Ref) error {
	if len(but) > 0 {
		a.Objects = but
		return a.save()
	}
	err := os.Remove(a.path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// disown has what runs of ours put on a cluster stay there, because its owner installs providers himself.
func disown(ctx context.Context, c *kube.Client, h Host) error {
	return additionsTo(ctx, c, h, func(a *additions) error {
		if len(a.Objects) == 0 {
			return nil
		}
		event.Notef(h.Sink, "what create cluster had installed on %s stays there from now on", c.Host())
		return a.forget()
	})
}
