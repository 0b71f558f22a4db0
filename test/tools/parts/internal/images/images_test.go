// SPDX-License-Identifier: Apache-2.0

package images

import (
	"archive/tar"
	"context"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-containerregistry/pkg/name"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/random"
	"github.com/google/go-containerregistry/pkg/v1/remote"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const testImage = "cluster-api/test:v1"

func testLayout(t *testing.T) string {
	t.Helper()
	binary := filepath.Join(t.TempDir(), "program")
	if err := os.WriteFile(binary, []byte("not really a program"), 0o755); err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(t.TempDir(), "layout")
	if err := WriteLayout(dir, "arm64", []Source{{Name: testImage, Binary: binary, User: "65532"}}); err != nil {
		t.Fatal(err)
	}
	return dir
}

func TestLayoutIsDeterministic(t *testing.T) {
	t.Parallel()
	var indexes []string
	for range 2 {
		data, err := os.ReadFile(filepath.Join(testLayout(t), "index.json"))
		if err != nil {
			t.Fatal(err)
		}
		indexes = append(indexes, string(data))
	}
	if diff := cmp.Diff(indexes[0], indexes[1]); diff != "" {
		t.Errorf("two layouts of the same binary differ:\n%s", diff)
	}
}

func TestServe(t *testing.T) {
	t.Parallel()
	dir := testLayout(t)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	checked := false
	err = Serve(ctx, listener, dir, func() error {
		defer cancel()
		checked = true
		reference, err := name.ParseReference(listener.Addr().String()+"/"+testImage, name.Insecure)
		if err != nil {
			return err
		}
		checkPull(t, reference)
		checkPushRefused(t, reference)
		return nil
	})
	if err != nil || !checked {
		t.Errorf("Serve() = %v, ready called %v", err, checked)
	}
	// Kept connections would look like leaked goroutines.
	if transport, ok := remote.DefaultTransport.(*http.Transport); ok {
		transport.CloseIdleConnections()
	}
	if _, err := net.Dial("tcp", listener.Addr().String()); err == nil {
		t.Error("the registry still listens after it was stopped")
	}
}

func checkPull(t *testing.T, reference name.Reference) {
	t.Helper()
	image, err := remote.Image(reference)
	if err != nil {
		t.Error(err)
		return
	}
	config, err := image.ConfigFile()
	if err != nil {
		t.Error(err)
		return
	}
	got := []string{config.OS, config.Architecture, config.Config.User, config.Config.Entrypoint[0]}
	if diff := cmp.Diff([]string{"linux", "arm64", "65532", "/manager"}, got); diff != "" {
		t.Errorf("image config (-want +got):\n%s", diff)
	}
	content := mutate.Extract(image)
	defer content.Close()
	files := tar.NewReader(content)
	header, err := files.Next()
	if err != nil || header.Name != "manager" || header.Mode != 0o755 {
		t.Errorf("first file: %v, %v, want manager with mode 0755", header, err)
		return
	}
	if data, _ := io.ReadAll(files); string(data) != "not really a program" {
		t.Errorf("content of manager: %q", data)
	}
}

func checkPushRefused(t *testing.T, reference name.Reference) {
	t.Helper()
	image, err := random.Image(16, 1)
	if err != nil {
		t.Error(err)
		return
	}
	if remote.Write(reference, image) == nil {
		t.Error("a push of new blobs was accepted")
	}
}

func TestServeWithoutImages(t *testing.T) {
	t.Parallel()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	if err := Serve(t.Context(), listener, t.TempDir(), func() error { return nil }); err == nil {
		t.Error("Serve() of an empty folder: no error")
	}
}
