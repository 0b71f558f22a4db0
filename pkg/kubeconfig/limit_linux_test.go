// SPDX-License-Identifier: Apache-2.0

package kubeconfig

import (
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/clusterctl/clusterctl/pkg/fault"
)

// limitFileSize makes writes beyond a size fail, as a quota does.
func limitFileSize(limit string) error {
	if limit == "" {
		return nil
	}
	n, err := strconv.ParseUint(limit, 10, 64)
	if err != nil {
		return err
	}
	signal.Ignore(syscall.SIGXFSZ)
	return syscall.Setrlimit(syscall.RLIMIT_FSIZE, &syscall.Rlimit{Cur: n, Max: n})
}

// large is a kubeconfig of more than n bytes.
func large(n int) string {
	return sample("other", "https://other", "x") + "x-padding: " + strings.Repeat("p", n) + "\n"
}

func TestMergeBeyondQuota(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name  string
		limit int
	}{{"backup fails", 100}, {"only the new file fails", 4800}}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			path := filepath.Join(t.TempDir(), "config")
			old := large(4700 - len(sample("other", "https://other", "x")))
			write(t, path, old, 0o600)
			cmd := exec.Command(os.Args[0])
			cmd.Env = append(os.Environ(), helperCluster+"=demo", helperPath+"="+path, helperLimit+"="+strconv.Itoa(tt.limit))
			out, err := cmd.CombinedOutput()
			if err == nil || !strings.Contains(string(out), "file too large") {
				t.Fatalf("got %v: %s", err, out)
			}
			if read(t, path) != old {
				t.Error("the file was changed")
			}
			if left := names(t, filepath.Dir(path)); len(left) != 2 {
				t.Errorf("left over: %v", left)
			}
		})
	}
}

// fullDisk mounts a file system of 64 KiB and fills it up to the given rest.
func fullDisk(t *testing.T, rest int) string {
	t.Helper()
	dir := t.TempDir()
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, "size=64k"); err != nil {
		t.Skipf("SKIPPED, no file system can be mounted here (needs root): %v", err)
	}
	t.Cleanup(func() {
		if err := syscall.Unmount(dir, 0); err != nil {
			t.Errorf("unmount: %v", err)
		}
	})
	write(t, filepath.Join(dir, "config"), existing, 0o600)
	write(t, filepath.Join(dir, ".config.clusterctl.lock"), "", 0o644)
	filler, err := os.Create(filepath.Join(dir, "filler"))
	if err != nil {
		t.Fatal(err)
	}
	defer filler.Close()
	for page := make([]byte, 4096); err == nil; {
		_, err = filler.Write(page)
	}
	info, err := filler.Stat()
	if err != nil {
		t.Fatal(err)
	}
	if err := filler.Truncate(info.Size() - int64(rest)); err != nil {
		t.Fatal(err)
	}
	return dir
}

func TestFullDisk(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name string
		rest int
		do   func(path string) error
	}{
		{"write a file", 0, func(path string) error { return WriteFile(path, []byte("new")) }},
		{"write a larger file", 4096, func(path string) error { return WriteFile(path, []byte(large(9000))) }},
		{"merge, no room for the backup", 0, func(path string) error {
			_, err := Merge(t.Context(), demo(t), MergeOptions{Path: path})
			return err
		}},
		{"merge, room for the backup only", 4096, func(path string) error {
			_, err := Merge(t.Context(), demo(t), MergeOptions{Path: path})
			return err
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			dir := fullDisk(t, tt.rest)
			before := names(t, dir)
			err := tt.do(filepath.Join(dir, "config"))
			if err == nil || !strings.Contains(err.Error(), "no space left on device") {
				t.Fatalf("got %v", err)
			}
			if hints := strings.Join(fault.Hints(err), " "); !strings.Contains(hints, "is as it was before") {
				t.Errorf("hints %q", hints)
			}
			if got := read(t, filepath.Join(dir, "config")); got != existing {
				t.Errorf("the file was changed:\n%s", got)
			}
			if after := names(t, dir); len(after) != len(before) {
				t.Errorf("left over: %v", after)
			}
		})
	}
}

func TestReadOnlyDirectory(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := filepath.Join(dir, "config")
	write(t, path, existing, 0o600)
	if err := syscall.Mount(dir, dir, "", syscall.MS_BIND, ""); err != nil {
		t.Skipf("SKIPPED, nothing can be mounted here (needs root): %v", err)
	}
	t.Cleanup(func() { _ = syscall.Unmount(dir, 0) })
	if err := syscall.Mount("", dir, "", syscall.MS_BIND|syscall.MS_REMOUNT|syscall.MS_RDONLY, ""); err != nil {
		t.Skipf("SKIPPED, can't remount read-only: %v", err)
	}
	if err := WriteFile(path, []byte("new")); err == nil || !strings.Contains(err.Error(), "read-only file system") {
		t.Errorf("WriteFile: got %v", err)
	}
	if _, err := Merge(t.Context(), demo(t), MergeOptions{Path: path}); err == nil || !strings.Contains(err.Error(), "read-only file system") {
		t.Errorf("Merge: got %v", err)
	}
	if read(t, path) != existing {
		t.Error("the file was changed")
	}
}
