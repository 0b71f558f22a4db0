// SPDX-License-Identifier: Apache-2.0

//go:build linux

package e2e

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// TestHostsThatCantDoIt tries hosts on which a local bootstrap cluster can't start: each run ends with one error, and nothing
// is left of it.
func TestHostsThatCantDoIt(t *testing.T) {
	t.Run("no control plane", func(t *testing.T) {
		h := newHome(t)
		h.setenv("KUBEBUILDER_ASSETS", t.TempDir())
		h.setenv("HTTPS_PROXY", "http://127.0.0.1:1")
		h.cantStart(t, 4, "get control plane v1.", "connection refused", "--local-assets")
	})
	t.Run("wrong checksum", func(t *testing.T) {
		h := newHome(t)
		h.setenv("KUBEBUILDER_ASSETS", t.TempDir())
		h.setenv("CLUSTERCTL_CACHE_HOME", filepath.Join(h.dir, "cache"))
		proxy, ca := impostor(t)
		h.setenv("HTTPS_PROXY", proxy)
		h.setenv("SSL_CERT_FILE", ca)
		h.cantStart(t, 1, "checksum mismatch")
		if left := filesBelow(t, filepath.Join(h.dir, "cache")); len(left) > 0 {
			t.Errorf("left of the downloads: %v", left)
		}
	})
	t.Run("state below a file", func(t *testing.T) {
		h := newHome(t)
		file := filepath.Join(h.dir, "file")
		writeFile(t, file, "")
		h.setenv("CLUSTERCTL_STATE_HOME", filepath.Join(file, "state"))
		h.cantStart(t, 4, file, "not a directory", "CLUSTERCTL_STATE_HOME")
	})
	t.Run("state that nobody may write", func(t *testing.T) {
		h := newHome(t)
		h.setenv("CLUSTERCTL_STATE_HOME", "/sys/clusterctl") // not even root
		h.cantStart(t, 4, "/sys/clusterctl", "not permitted", "CLUSTERCTL_STATE_HOME")
	})
	t.Run("full disk", func(t *testing.T) {
		h := newHome(t)
		smallDisk(t, h.state())
		h.cantStart(t, 4, h.state(), "MB are free", "CLUSTERCTL_STATE_HOME")
		if err := os.WriteFile(filepath.Join(h.state(), "fill"), make([]byte, 2<<20), 0o600); err == nil {
			t.Fatal("the disk isn't full")
		}
		r := h.run(t, demo()...)
		r.wantError(t, 4, "no space left", "CLUSTERCTL_STATE_HOME")
		if left := h.files(t); len(left) != 1 {
			t.Errorf("left: %v", left)
		}
	})
}

// cantStart wants the main job to end with an error and to leave nothing.
func (h *home) cantStart(t *testing.T, code int, words ...string) {
	t.Helper()
	h.wantFailure(t, code, words, demo()...)
	h.wantNothingLeft(t, nil)
}

// smallDisk mounts a file system of 1 MiB. Only root can.
func smallDisk(t *testing.T, dir string) {
	t.Helper()
	if os.Getuid() != 0 {
		t.Skip("NOT TESTED: only root can mount a file system to fill")
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, "size=1m,mode=0700"); err != nil {
		t.Skipf("NOT TESTED: no right to mount a file system to fill: %v", err)
	}
	t.Cleanup(func() {
		if err := syscall.Unmount(dir, 0); err != nil {
			t.Error(err)
		}
	})
}
