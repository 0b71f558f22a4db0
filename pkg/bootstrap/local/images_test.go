// SPDX-License-Identifier: Apache-2.0

//go:build linux

package local_test

import (
	"archive/tar"
	"bytes"
	"io"
	"log"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-containerregistry/pkg/name"
	"github.com/google/go-containerregistry/pkg/registry"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/remote"
	"github.com/google/go-containerregistry/pkg/v1/tarball"
)

// startRegistry serves an empty registry on loopback and returns its address.
func startRegistry(t *testing.T) string {
	t.Helper()
	s := httptest.NewServer(registry.New(registry.Logger(log.New(io.Discard, "", 0))))
	t.Cleanup(s.Close)
	return strings.TrimPrefix(s.URL, "http://")
}

// push makes an image whose entrypoint is a program and returns its reference.
func push(t *testing.T, registry, repository, program string) string {
	t.Helper()
	return pushFor(t, registry, repository, program, runtime.GOARCH)
}

func pushFor(t *testing.T, registry, repository, program, arch string) string {
	t.Helper()
	data, err := os.ReadFile(program)
	if err != nil {
		t.Fatal(err)
	}
	var layer bytes.Buffer
	w := tar.NewWriter(&layer)
	if err := w.WriteHeader(&tar.Header{Name: "manager", Mode: 0o755, Size: int64(len(data)), Typeflag: tar.TypeReg}); err != nil {
		t.Fatal(err)
	}
	if _, err := w.Write(data); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	l, err := tarball.LayerFromOpener(func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(layer.Bytes())), nil })
	if err != nil {
		t.Fatal(err)
	}
	img, err := mutate.AppendLayers(empty.Image, l)
	if err != nil {
		t.Fatal(err)
	}
	img, err = mutate.ConfigFile(img, configFor(t, img, arch))
	if err != nil {
		t.Fatal(err)
	}
	ref := registry + "/" + repository + ":v1"
	parsed, err := name.ParseReference(ref)
	if err != nil {
		t.Fatal(err)
	}
	if err := remote.Write(parsed, img, remote.WithContext(t.Context())); err != nil {
		t.Fatal(err)
	}
	return ref
}

func configFor(t *testing.T, img v1.Image, arch string) *v1.ConfigFile {
	t.Helper()
	cfg, err := img.ConfigFile()
	if err != nil {
		t.Fatal(err)
	}
	cfg = cfg.DeepCopy()
	cfg.OS, cfg.Architecture = "linux", arch
	cfg.Config.Entrypoint = []string{"/manager"}
	return cfg
}

var (
	managerOnce sync.Once
	managerPath string
)

// managerProgram builds testdata/manager once.
func managerProgram(t *testing.T) string {
	t.Helper()
	managerOnce.Do(func() {
		dir, err := os.MkdirTemp("", "manager-*") //nolint:usetesting // It is kept for the other tests.
		if err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(dir, "manager")
		cmd := exec.Command("go", "build", "-o", path, "./testdata/manager")
		cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("build manager: %v\n%s", err, out)
		}
		managerPath = path
	})
	if managerPath == "" {
		t.Fatal("the manager couldn't be built")
	}
	return managerPath
}
