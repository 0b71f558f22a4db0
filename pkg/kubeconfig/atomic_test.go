// SPDX-License-Identifier: Apache-2.0

//go:build unix

package kubeconfig

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/clusterctl/clusterctl/pkg/fault"
)

func TestWriteFile(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name    string
		prepare func(t *testing.T, dir string) (path string)
		code    fault.Code
		says    string
		ends    string // where the text ends up, relative to dir; "" = path
	}{
		{"a new file", func(_ *testing.T, dir string) string { return filepath.Join(dir, "new") }, 0, "", ""},
		{"a file that all may read", func(t *testing.T, dir string) string {
			write(t, filepath.Join(dir, "old"), "old", 0o644)
			return filepath.Join(dir, "old")
		}, 0, "", ""},
		{"a link", func(t *testing.T, dir string) string {
			write(t, filepath.Join(dir, "real"), "old", 0o600)
			return link(t, "real", filepath.Join(dir, "link"))
		}, 0, "", "real"},
		{"a link to a link elsewhere", func(t *testing.T, dir string) string {
			if err := os.Mkdir(filepath.Join(dir, "sub"), 0o700); err != nil {
				t.Fatal(err)
			}
			write(t, filepath.Join(dir, "sub", "real"), "old", 0o600)
			link(t, "sub/real", filepath.Join(dir, "one"))
			return link(t, filepath.Join(dir, "one"), filepath.Join(dir, "two"))
		}, 0, "", "sub/real"},
		{"a link to what isn't there", func(t *testing.T, dir string) string { return link(t, "later", filepath.Join(dir, "link")) }, 0, "", "later"},
		{"a directory", func(_ *testing.T, dir string) string { return dir }, fault.Usage, "is a directory", ""},
		{"a directory by its name", func(_ *testing.T, dir string) string { return dir + "/new/" }, fault.Usage, "is a directory", ""},
		{"a link to a directory", func(t *testing.T, dir string) string { return link(t, ".", filepath.Join(dir, "link")) }, fault.Usage, "is a directory", ""},
		{"a missing directory", func(_ *testing.T, dir string) string { return filepath.Join(dir, "no", "file") }, fault.Usage, "does not exist", ""},
		{"a file as directory", func(t *testing.T, dir string) string {
			write(t, filepath.Join(dir, "f"), "old", 0o600)
			return filepath.Join(dir, "f", "file")
		}, fault.Usage, "not a directory", ""},
		{"a read-only file", func(t *testing.T, dir string) string {
			write(t, filepath.Join(dir, "old"), "old", 0o400)
			return filepath.Join(dir, "old")
		}, fault.Usage, "read-only", ""},
		{"a link in a circle", func(t *testing.T, dir string) string {
			link(t, "b", filepath.Join(dir, "a"))
			return link(t, "a", filepath.Join(dir, "b"))
		}, fault.Usage, "too many", ""},
		{"no name", func(*testing.T, string) string { return "" }, fault.Usage, "directory", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			path := tt.prepare(t, dir)
			before := names(t, dir)
			err := WriteFile(path, []byte("new"))
			if checked := CheckFile(path); (checked == nil) != (err == nil) {
				t.Errorf("CheckFile says %v", checked)
			}
			if fault.CodeOf(err) != tt.code {
				t.Fatalf("got %v (code %d), want code %d", err, fault.CodeOf(err), tt.code)
			}
			if err != nil {
				if !strings.Contains(err.Error(), tt.says) {
					t.Errorf("%q does not say %q", err, tt.says)
				}
				if after := names(t, dir); len(after) != len(before) {
					t.Errorf("left over: %v", after)
				}
				return
			}
			end := path
			if tt.ends != "" {
				end = filepath.Join(dir, tt.ends)
			}
			if got := read(t, end); got != "new" {
				t.Errorf("got %q", got)
			}
			info, err := os.Lstat(end)
			if err != nil || info.Mode() != 0o600 {
				t.Errorf("mode %v, %v", info.Mode(), err)
			}
			if leftover, _ := filepath.Glob(filepath.Join(filepath.Dir(end), ".*.tmp-*")); len(leftover) > 0 {
				t.Errorf("left over: %v", leftover)
			}
			if tt.ends != "" {
				if info, err := os.Lstat(path); err != nil || info.Mode()&os.ModeSymlink == 0 {
					t.Errorf("the link is gone: %v, %v", info, err)
				}
			}
		})
	}
}

func TestWriteFileIntoPipe(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Skipf("SKIPPED, no named pipes here: %v", err)
	}
	got := make(chan string, 1)
	go func() {
		f, err := os.Open(path)
		if err != nil {
			got <- err.Error()
			return
		}
		defer f.Close()
		data, _ := io.ReadAll(f)
		got <- string(data)
	}()
	if err := WriteFile(path, []byte("new")); err != nil {
		t.Fatal(err)
	}
	if text := <-got; text != "new" {
		t.Errorf("got %q", text)
	}
	if info, err := os.Lstat(path); err != nil || info.Mode()&os.ModeNamedPipe == 0 {
		t.Errorf("the pipe is gone: %v, %v", info, err)
	}
	if err := WriteFile(os.DevNull, []byte("new")); err != nil {
		t.Error(err)
	}
	if err := WriteFile("/dev/full", []byte("new")); err == nil || !strings.Contains(err.Error(), "no space left") {
		t.Errorf("/dev/full: got %v", err)
	}
}

func TestWriteFileKeepsOwner(t *testing.T) {
	t.Parallel()
	if os.Getuid() != 0 {
		t.Skip("SKIPPED, only root can give files away")
	}
	path := filepath.Join(t.TempDir(), "config")
	write(t, path, "old", 0o600)
	if err := os.Chown(path, 1234, 2345); err != nil {
		t.Fatal(err)
	}
	if err := WriteFile(path, []byte("new")); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	if stat := info.Sys().(*syscall.Stat_t); stat.Uid != 1234 || stat.Gid != 2345 {
		t.Errorf("belongs to %d:%d", stat.Uid, stat.Gid)
	}
}
