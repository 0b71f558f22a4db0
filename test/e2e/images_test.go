// SPDX-License-Identifier: Apache-2.0

//go:build linux

package e2e

import (
	"archive/tar"
	"bytes"
	"io"
	"log"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-containerregistry/pkg/name"
	"github.com/google/go-containerregistry/pkg/registry"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/remote"
	"github.com/google/go-containerregistry/pkg/v1/tarball"
)

// brokenVersion is the version of the providers that can't run.
const brokenVersion = "v1.0.0"

// registryOf serves images whose program prints its last words and exits, by name and platform. It gives the registry's address.
func registryOf(t *testing.T, platforms map[string]v1.Platform) string {
	t.Helper()
	server := httptest.NewServer(registry.New(registry.Logger(log.New(io.Discard, "", 0))))
	t.Cleanup(server.Close)
	address := strings.TrimPrefix(server.URL, "http://")
	layer := layerOf(t, brokenProgram(t))
	for image, platform := range platforms {
		img, err := mutate.AppendLayers(empty.Image, layer)
		if err != nil {
			t.Fatal(err)
		}
		file, err := img.ConfigFile()
		if err != nil {
			t.Fatal(err)
		}
		file.OS, file.Architecture, file.Config.Entrypoint = platform.OS, platform.Architecture, []string{"/manager"}
		if img, err = mutate.ConfigFile(img, file); err != nil {
			t.Fatal(err)
		}
		ref, err := name.NewTag(address + "/" + image + ":" + brokenVersion)
		if err != nil {
			t.Fatal(err)
		}
		index := mutate.AppendManifests(empty.Index, mutate.IndexAddendum{Add: img, Descriptor: v1.Descriptor{Platform: &platform}})
		if err := remote.WriteIndex(ref, index, remote.WithContext(t.Context())); err != nil {
			t.Fatal(err)
		}
	}
	return address
}

// thisPlatform is where programs of this host run, otherPlatform one where they don't.
func thisPlatform() v1.Platform { return v1.Platform{OS: "linux", Architecture: runtime.GOARCH} }

func otherPlatform() v1.Platform {
	return v1.Platform{OS: "linux", Architecture: map[string]string{"amd64": "arm64", "arm64": "amd64"}[runtime.GOARCH]}
}

// brokenProgram builds a manager that doesn't manage anything.
func brokenProgram(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	writeFile(t, filepath.Join(dir, "main.go"), `package main

import ("fmt"; "os")

func main() {
	fmt.Println("starting up")
	fmt.Println("Error: there is no cloud, it is somebody else's computer")
	os.Exit(7)
}
`)
	writeFile(t, filepath.Join(dir, "go.mod"), "module broken\n\ngo 1.24\n")
	program := filepath.Join(dir, "manager")
	if err := build(t.Context(), dir, program, "."); err != nil {
		t.Fatal(err)
	}
	return program
}

// layerOf makes an image's layer with a program as /manager.
func layerOf(t *testing.T, program string) v1.Layer {
	t.Helper()
	data, err := os.ReadFile(program)
	if err != nil {
		t.Fatal(err)
	}
	var buf bytes.Buffer
	w := tar.NewWriter(&buf)
	if err := w.WriteHeader(&tar.Header{Name: "manager", Mode: 0o755, Size: int64(len(data))}); err != nil {
		t.Fatal(err)
	}
	if _, err := w.Write(data); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	layer, err := tarball.LayerFromOpener(func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(buf.Bytes())), nil })
	if err != nil {
		t.Fatal(err)
	}
	return layer
}
