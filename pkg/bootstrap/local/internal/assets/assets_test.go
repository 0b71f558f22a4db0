// SPDX-License-Identifier: Apache-2.0

package assets_test

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/clusterctl/clusterctl/pkg/bootstrap/local/internal/assets"
	"github.com/clusterctl/clusterctl/pkg/fault"
)

const version = "v1.30.1"

// release serves what the official pages have, by path.
func release(t *testing.T) map[string]string {
	t.Helper()
	sum := func(s string) string { d := sha256.Sum256([]byte(s)); return hex.EncodeToString(d[:]) }
	files := map[string]string{}
	for _, name := range []string{"kube-apiserver", "kube-controller-manager"} {
		path := "/kube/" + version + "/bin/linux/" + runtime.GOARCH + "/" + name
		files[path], files[path+".sha256"] = "program "+name, sum("program "+name)
	}
	folder := "etcd-" + assets.EtcdVersion + "-linux-" + runtime.GOARCH
	var buf bytes.Buffer
	zw := gzip.NewWriter(&buf)
	tw := tar.NewWriter(zw)
	for _, name := range []string{"/README", "/etcd", "/etcdctl"} {
		content := "program" + name
		if err := tw.WriteHeader(&tar.Header{Name: folder + name, Mode: 0o755, Size: int64(len(content)), Typeflag: tar.TypeReg}); err != nil {
			t.Fatal(err)
		}
		_, _ = tw.Write([]byte(content))
	}
	if err := errors.Join(tw.Close(), zw.Close()); err != nil {
		t.Fatal(err)
	}
	files["/etcd/"+assets.EtcdVersion+"/"+folder+".tar.gz"] = buf.String()
	files["/etcd/"+assets.EtcdVersion+"/SHA256SUMS"] = sum("other") + "  other.tar.gz\n" + sum(buf.String()) + "  " + folder + ".tar.gz\n"
	return files
}

func serve(t *testing.T, files map[string]string) (assets.Downloads, *atomic.Int64) {
	t.Helper()
	requests := &atomic.Int64{}
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		requests.Add(1)
		content, ok := files[r.URL.Path]
		if !ok {
			http.NotFound(w, r)
			return
		}
		_, _ = w.Write([]byte(content))
	}))
	t.Cleanup(s.Close)
	return assets.Downloads{Kubernetes: s.URL + "/kube", Etcd: s.URL + "/etcd"}, requests
}

func TestDownload(t *testing.T) {
	t.Parallel()
	downloads, requests := serve(t, release(t))
	r := assets.Request{Version: version, Cache: filepath.Join(t.TempDir(), "cache"), Downloads: downloads}
	p, err := assets.Find(t.Context(), r, nil)
	if err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{p.Etcd: "program/etcd", p.APIServer: "program kube-apiserver", p.ControllerManager: "program kube-controller-manager"} {
		data, err := os.ReadFile(path)
		if err != nil || string(data) != want {
			t.Errorf("%s: %q, %v", path, data, err)
		}
		if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o755 {
			t.Errorf("%s: %v", path, err)
		}
	}
	requests.Store(0)
	if again, err := assets.Find(t.Context(), r, nil); err != nil || again != p || requests.Load() != 0 {
		t.Errorf("again: %+v, %v, %d requests", again, err, requests.Load())
	}
}

func TestDownloadFails(t *testing.T) {
	t.Parallel()
	apiserver := "/kube/" + version + "/bin/linux/" + runtime.GOARCH + "/kube-apiserver"
	archive := "/etcd/" + assets.EtcdVersion + "/etcd-" + assets.EtcdVersion + "-linux-" + runtime.GOARCH + ".tar.gz"
	for name, tt := range map[string]struct {
		change func(map[string]string)
		want   string
		sum    bool
	}{
		"other program":  {func(f map[string]string) { f[apiserver] = "evil" }, "kube-apiserver", true},
		"cut archive":    {func(f map[string]string) { f[archive] = f[archive][:40] }, "etcd", true},
		"no such file":   {func(f map[string]string) { delete(f, apiserver) }, "404", false},
		"no checksum":    {func(f map[string]string) { delete(f, apiserver+".sha256") }, "404", false},
		"login page":     {func(f map[string]string) { f[apiserver+".sha256"] = "<html>" }, "no SHA-256", false},
		"sums of others": {func(f map[string]string) { f["/etcd/"+assets.EtcdVersion+"/SHA256SUMS"] = "" }, "no SHA-256", false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			files := release(t)
			tt.change(files)
			downloads, _ := serve(t, files)
			cache := filepath.Join(t.TempDir(), "cache")
			_, err := assets.Find(t.Context(), assets.Request{Version: version, Cache: cache, Downloads: downloads}, nil)
			if err == nil || !strings.Contains(err.Error(), tt.want) || errors.Is(err, assets.ErrChecksum) != tt.sum || len(fault.Hints(err)) == 0 {
				t.Errorf("Find: %v, hints %q", err, fault.Hints(err))
			}
			walkErr := filepath.WalkDir(cache, func(path string, e fs.DirEntry, err error) error {
				if err == nil && !e.IsDir() && (strings.HasPrefix(e.Name(), ".") || strings.Contains(path, tt.want)) {
					t.Errorf("left behind: %s", path)
				}
				return err
			})
			if walkErr != nil {
				t.Error(walkErr)
			}
		})
	}
}

// TestVersionOfLocalDirectory says that programs that a user brought along are used in their own version, unless another one was asked for.
func TestVersionOfLocalDirectory(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for _, name := range []string{"etcd", "kube-apiserver", "kube-controller-manager"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte("#!/bin/sh\necho Kubernetes v1.33.7\n"), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	r := assets.Request{Version: version, Dir: dir, Cache: t.TempDir()}
	if p, err := assets.Find(t.Context(), r, nil); err != nil || p.Version != "v1.33.7" {
		t.Errorf("no version asked for: %+v, %v", p, err)
	}
	r.Exact = true
	if _, err := assets.Find(t.Context(), r, nil); fault.CodeOf(err) != fault.Refused || !strings.Contains(err.Error(), "is v1.33.7") {
		t.Errorf("another version asked for: %v", err)
	}
	r.Version = "v1.33.7"
	if _, err := assets.Find(t.Context(), r, nil); err != nil {
		t.Errorf("that version asked for: %v", err)
	}
}

func TestLocalDirectory(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for _, name := range []string{"etcd", "kube-apiserver", "kube-controller-manager"} {
		if err := os.WriteFile(filepath.Join(dir, name), nil, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	nowhere := assets.Downloads{Kubernetes: "http://127.0.0.1:1", Etcd: "http://127.0.0.1:1"}
	r := assets.Request{Version: version, Dir: dir, Cache: t.TempDir(), Downloads: nowhere}
	p, err := assets.Find(t.Context(), r, nil)
	if err != nil || p.Etcd != filepath.Join(dir, "etcd") {
		t.Errorf("Find: %+v, %v", p, err)
	}
	if err := os.Chmod(filepath.Join(dir, "etcd"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := assets.Find(t.Context(), r, nil); err == nil || !strings.Contains(err.Error(), "not an executable") {
		t.Errorf("Find: %v", err)
	}
	r.Dir = filepath.Join(dir, "nothing")
	if _, err := assets.Find(t.Context(), r, nil); fault.CodeOf(err) != fault.Usage {
		t.Errorf("Find: %v", err)
	}
	r.Dir, r.Version = "", "v1.30.1/../../x"
	if _, err := assets.Find(t.Context(), r, nil); err == nil {
		t.Error("a version that is a path is accepted")
	}
}
