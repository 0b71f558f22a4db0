// SPDX-License-Identifier: Apache-2.0

package local

import (
	"context"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/clusterctl/clusterctl/pkg/atomicfile"
	"github.com/clusterctl/clusterctl/pkg/bootstrap"
	"github.com/clusterctl/clusterctl/pkg/bootstrap/internal/lock"
	"github.com/clusterctl/clusterctl/pkg/bootstrap/local/internal/assets"
	"github.com/clusterctl/clusterctl/pkg/bootstrap/local/internal/layout"
	"github.com/clusterctl/clusterctl/pkg/bootstrap/local/internal/proc"
	"github.com/clusterctl/clusterctl/pkg/event"
	"github.com/clusterctl/clusterctl/pkg/fault"
	"github.com/clusterctl/clusterctl/pkg/pki"
)

// Preflight checks what can be known of this host before anything is made, and changes nothing. It returns an error of class Usage for a
// folder of programs that isn't one; a cluster that runs needs none.
func (c *Cluster) Preflight(ctx context.Context, _ event.Sink) error {
	if c.opts.AssetsDir == "" {
		return nil
	}
	if st, err := c.Status(ctx); err == nil && st.State == bootstrap.Running {
		return nil
	}
	return assets.CheckDir(c.opts.AssetsDir)
}

// minFree is the space below which a start is refused: etcd allocates 64 MB for its log and as much again when
// that is full, and one that runs out of space in the middle of a write is a worse place to be.
const minFree = 300 << 20

// checkDir makes sure that the directory is this user's and closed to others.
func (c *Cluster) checkDir() error {
	info, err := os.Lstat(string(c.dir))
	if err != nil {
		return err
	}
	owned, err := proc.Owned(string(c.dir))
	if err != nil {
		return err
	}
	if !info.IsDir() || !owned {
		return fault.Refusedf("use state directory %s: it isn't a directory of this user", c.dir)
	}
	if info.Mode().Perm()&0o077 == 0 {
		return nil
	}
	return os.Chmod(string(c.dir), 0o700)
}

// preflight looks whether a start can succeed, before anything is started.
func (c *Cluster) preflight() error {
	if len(c.opts.Supervisor) == 0 {
		return fmt.Errorf("start supervisor: no command for it was given")
	}
	free, err := proc.FreeBytes(string(c.dir))
	if err != nil {
		return fmt.Errorf("look for free space in %s: %w", c.dir, err)
	}
	if free < minFree {
		return fault.WithHint(fault.Refusedf("start in %s: only %d MB are free there, at least %d are needed", c.dir, free>>20, minFree>>20),
			"free some space, or set CLUSTERCTL_STATE_HOME to a directory on another disk")
	}
	if err := atomicfile.Probe(string(c.dir)); err != nil {
		return fault.WithCode(fault.Refused, fmt.Errorf("write to state directory: %w", err))
	}
	return nil
}

// expiring says whether a certificate of the control plane or of a webhook must be renewed; it is renewed at the next start.
func (c *Cluster) expiring() (bool, error) {
	files, err := filepath.Glob(filepath.Join(c.dir.PKI(), "*.crt"))
	if err != nil {
		return false, err
	}
	serving, err := filepath.Glob(filepath.Join(c.dir.Serving(), "*.crt"))
	if err != nil {
		return false, err
	}
	for _, file := range append(files, serving...) {
		if strings.HasSuffix(file, "ca.crt") {
			continue
		}
		end, err := pki.Expiry(file)
		if err != nil {
			return false, err
		}
		if time.Now().Add(pki.RenewBefore).After(end) {
			return true, nil
		}
	}
	return false, nil
}

// choosePodIP gives each bootstrap of a user a loopback address of its own, so that providers that
// listen on fixed ports of their pod's address don't get in each other's way. The first has 127.0.0.1.
func (c *Cluster) choosePodIP(ctx context.Context) (string, error) {
	held, err := lock.Acquire(ctx, c.dir.PortsLock(), nil)
	if err != nil {
		return "", err
	}
	defer held.Release()
	taken := map[string]bool{}
	entries, err := os.ReadDir(c.dir.Root())
	if err != nil {
		return "", err
	}
	for _, e := range entries {
		if m, err := layout.Dir(filepath.Join(c.dir.Root(), e.Name())).ReadMeta(); err == nil {
			taken[m.PodIP] = true
		}
	}
	for n := 1; n < 1<<16; n++ {
		ip := net.IPv4(127, 0, byte(n>>8), byte(n))
		if last := n & 0xff; last != 0 && last != 0xff && !taken[ip.String()] {
			return ip.String(), nil
		}
	}
	return "", fmt.Errorf("choose a loopback address: all are in use")
}
