// SPDX-License-Identifier: Apache-2.0

package image_test

import (
	"archive/tar"
	"bytes"
	"context"
	"debug/elf"
	"encoding/binary"
	"errors"
	"io"
	"log"
	"net/http"
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

	"github.com/clusterctl/clusterctl/pkg/bootstrap/local/internal/image"
)

// entry is a file of a layer; a name that ends with / is a directory, one with link is a symbolic link.
type entry struct {
	name, content, link, hard string
	mode                      int64
}

func layer(t *testing.T, entries ...entry) v1.Layer {
	t.Helper()
	var buf bytes.Buffer
	w := tar.NewWriter(&buf)
	for _, e := range entries {
		h := &tar.Header{Name: e.name, Mode: e.mode, Size: int64(len(e.content)), Typeflag: tar.TypeReg, Linkname: e.link}
		switch {
		case strings.HasSuffix(e.name, "/"):
			h.Typeflag = tar.TypeDir
		case e.hard != "":
			h.Typeflag, h.Linkname = tar.TypeLink, e.hard
		case e.link != "":
			h.Typeflag = tar.TypeSymlink
		}
		if h.Mode == 0 {
			h.Mode = 0o755
		}
		if err := w.WriteHeader(h); err != nil {
			t.Fatal(err)
		}
		if _, err := io.WriteString(w, e.content); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	l, err := tarball.LayerFromOpener(func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(buf.Bytes())), nil })
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func build(t *testing.T, arch string, layers ...v1.Layer) v1.Image {
	t.Helper()
	img, err := mutate.AppendLayers(empty.Image, layers...)
	if err != nil {
		t.Fatal(err)
	}
	cfg, err := img.ConfigFile()
	if err != nil {
		t.Fatal(err)
	}
	cfg = cfg.DeepCopy()
	cfg.OS, cfg.Architecture = "linux", arch
	cfg.Config.Entrypoint, cfg.Config.Cmd = []string{"/manager"}, []string{"--default"}
	if img, err = mutate.ConfigFile(img, cfg); err != nil {
		t.Fatal(err)
	}
	return img
}

// server is a registry whose requests can be spoilt.
type server struct {
	*httptest.Server
	spoil func(w http.ResponseWriter, r *http.Request) bool
}

func newServer(t *testing.T) *server {
	t.Helper()
	s := &server{}
	inner := registry.New(registry.Logger(log.New(io.Discard, "", 0)))
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if s.spoil != nil && s.spoil(w, r) {
			return
		}
		inner.ServeHTTP(w, r)
	}))
	t.Cleanup(s.Close)
	return s
}

func (s *server) push(t *testing.T, repository string, img v1.Image) string {
	t.Helper()
	ref := strings.TrimPrefix(s.URL, "http://") + "/" + repository + ":v1"
	parsed, err := name.ParseReference(ref)
	if err != nil {
		t.Fatal(err)
	}
	if err := remote.Write(parsed, img, remote.WithContext(t.Context())); err != nil {
		t.Fatal(err)
	}
	return ref
}

func TestUnpack(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	ref := s.push(t, "layers", build(t, runtime.GOARCH,
		layer(t,
			entry{name: "bin/"}, entry{name: "bin/tool", content: "one", mode: 0o4755}, entry{name: "etc/gone", content: "x"},
			entry{name: "dir/old", content: "x"}, entry{name: "abs", link: "/bin/tool"}, entry{name: "escape", link: "../../../../etc"},
			entry{name: "lib", link: "usr/lib"}, entry{name: "usr/lib/"},
		),
		layer(t,
			entry{name: "etc/.wh.gone"}, entry{name: "dir/new", content: "new"}, entry{name: "dir/.wh..wh..opq"},
			entry{name: "lib/so", content: "so"}, entry{name: "hard", hard: "bin/tool"}, entry{name: "abs2/", mode: 0o500}, entry{name: "abs2/f", content: "f"},
		),
	))
	img, err := image.Store{Dir: filepath.Join(t.TempDir(), "images")}.Get(t.Context(), ref, false)
	if err != nil {
		t.Fatal(err)
	}
	for file, want := range map[string]string{"bin/tool": "one", "dir/new": "new", "abs": "one", "usr/lib/so": "so", "hard": "one", "abs2/f": "f"} {
		if data, err := os.ReadFile(filepath.Join(img.Root, file)); err != nil || string(data) != want {
			t.Errorf("%s: %q, %v", file, data, err)
		}
	}
	for _, file := range []string{"etc/gone", "dir/old", "etc/.wh.gone", "dir/.wh..wh..opq", "escape/passwd"} {
		if _, err := os.Stat(filepath.Join(img.Root, file)); !os.IsNotExist(err) {
			t.Errorf("%s: %v", file, err)
		}
	}
	if info, err := os.Stat(filepath.Join(img.Root, "bin/tool")); err != nil || info.Mode() != 0o755 {
		t.Errorf("mode %v, %v", info.Mode(), err)
	}
}

func TestUnsafeImagesAreRefused(t *testing.T) {
	t.Parallel()
	for name, entries := range map[string][]entry{
		"path":         {{name: "../../outside", content: "x"}},
		"inner path":   {{name: "a/../../outside", content: "x"}},
		"hard link":    {{name: "link", hard: "../../outside"}},
		"through link": {{name: "up", link: "/.."}, {name: "a/b/up", link: "../../../../.."}, {name: "a/b/up/outside", content: "x"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newServer(t)
			ref := s.push(t, "unsafe", build(t, runtime.GOARCH, layer(t, entries...)))
			base := t.TempDir()
			_, err := image.Store{Dir: filepath.Join(base, "one", "two", "images")}.Get(t.Context(), ref, false)
			if name != "through link" && !errors.Is(err, image.ErrUnsafe) {
				t.Errorf("Get: %v", err)
			}
			checkInside(t, base, err)
		})
	}
}

// checkInside makes sure that nothing was written outside of an image's root, and after an error nothing at all.
func checkInside(t *testing.T, base string, err error) {
	t.Helper()
	walkErr := filepath.WalkDir(base, func(path string, _ os.DirEntry, err error) error {
		if filepath.Base(path) == "outside" && !strings.Contains(path, "rootfs") {
			t.Errorf("%s was written", path)
		}
		return err
	})
	if walkErr != nil {
		t.Fatal(walkErr)
	}
	left, _ := os.ReadDir(filepath.Join(base, "one", "two", "images"))
	if err != nil && len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

func TestWrongPlatform(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	store := image.Store{Dir: filepath.Join(t.TempDir(), "images")}
	single := s.push(t, "single", build(t, "s390x", layer(t, entry{name: "manager"})))
	_, err := store.Get(t.Context(), single, false)
	if !errors.Is(err, image.ErrPlatform) || !strings.Contains(err.Error(), "linux/s390x") {
		t.Errorf("Get: %v", err)
	}
	index := mutate.AppendManifests(empty.Index,
		mutate.IndexAddendum{Add: build(t, "s390x"), Descriptor: v1.Descriptor{Platform: &v1.Platform{OS: "linux", Architecture: "s390x"}}})
	ref, err := name.ParseReference(strings.TrimPrefix(s.URL, "http://") + "/index:v1")
	if err != nil {
		t.Fatal(err)
	}
	if err := remote.WriteIndex(ref, index); err != nil {
		t.Fatal(err)
	}
	if _, err := store.Get(t.Context(), ref.Name(), false); !errors.Is(err, image.ErrPlatform) || !strings.Contains(err.Error(), "[linux/s390x]") {
		t.Errorf("Get: %v", err)
	}
}

func TestRegistryTrouble(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	ref := s.push(t, "trouble", build(t, runtime.GOARCH, layer(t, entry{name: "manager", content: strings.Repeat("good", 1000)})))
	dir := filepath.Join(t.TempDir(), "images")
	store := image.Store{Dir: dir}

	s.spoil = func(w http.ResponseWriter, r *http.Request) bool {
		if r.Method != http.MethodGet || !strings.Contains(r.URL.Path, "/blobs/") {
			return false
		}
		_, _ = io.WriteString(w, "something else")
		return true
	}
	if _, err := store.Get(t.Context(), ref, false); err == nil {
		t.Error("a blob with other content is accepted")
	}
	if left, _ := os.ReadDir(dir); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
	s.spoil = nil
	if _, err := store.Get(t.Context(), ref, false); err != nil {
		t.Fatal(err)
	}
	s.Close()
	for _, always := range []bool{false, true} {
		if _, err := store.Get(t.Context(), ref, always); err != nil {
			t.Errorf("without the registry, always %v: %v", always, err)
		}
	}
	if _, err := store.Get(t.Context(), "NOT/a:ref:at-all", false); err == nil {
		t.Error("a malformed reference is accepted")
	}
}

// static is the head of a statically linked program, which is all that is looked at.
func static(t *testing.T, machine elf.Machine) string {
	t.Helper()
	var buf bytes.Buffer
	h := elf.Header64{Type: uint16(elf.ET_EXEC), Machine: uint16(machine), Version: 1, Ehsize: 64, Phentsize: 56, Shentsize: 64}
	copy(h.Ident[:], "\x7fELF\x02\x01\x01")
	if err := binary.Write(&buf, binary.LittleEndian, h); err != nil {
		t.Fatal(err)
	}
	return buf.String()
}

func TestProgram(t *testing.T) {
	t.Parallel()
	machine, other := elf.EM_X86_64, elf.EM_AARCH64
	if runtime.GOARCH == "arm64" {
		machine, other = other, machine
	}
	s := newServer(t)
	img, err := image.Store{Dir: filepath.Join(t.TempDir(), "images")}.Get(t.Context(), s.push(t, "program", build(t, runtime.GOARCH,
		layer(t, entry{name: "manager", content: static(t, machine)}, entry{name: "usr/bin/tool", link: "/manager"},
			entry{name: "script", content: "#!/bin/sh\n"}, entry{name: "foreign", content: static(t, other)}),
	)), false)
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		name          string
		command, args []string
		want          string
		err           error
	}{
		{"as the image says", nil, nil, "manager --default", nil},
		{"other arguments", nil, []string{"-x"}, "manager -x", nil},
		{"other command", []string{"/manager", "a"}, nil, "manager a", nil},
		{"found in PATH", []string{"tool"}, []string{"-y"}, "usr/bin/tool -y", nil},
		{"a script", []string{"/script"}, nil, "", image.ErrProgram},
		{"for another machine", []string{"/foreign"}, nil, "", image.ErrPlatform},
		{"nothing there", []string{"/nothing"}, nil, "", image.ErrProgram},
	} {
		argv, _, err := img.Program(tt.command, tt.args)
		if !errors.Is(err, tt.err) {
			t.Errorf("%s: %v", tt.name, err)
			continue
		}
		if got := strings.TrimPrefix(strings.Join(argv, " "), img.Root+"/"); err == nil && !strings.HasSuffix(got, tt.want) {
			t.Errorf("%s: %q", tt.name, got)
		}
	}
}

func TestFlags(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	img, err := image.Store{Dir: filepath.Join(t.TempDir(), "images")}.Get(t.Context(), s.push(t, "flags", build(t, runtime.GOARCH)), false)
	if err != nil {
		t.Fatal(err)
	}
	asked := 0
	for range 2 {
		flags, err := img.Flags(t.Context(), []string{"/manager"}, func(_ context.Context, argv []string) ([]byte, error) {
			asked++
			if strings.Join(argv, " ") != "/manager --help" {
				t.Errorf("asked with %q", argv)
			}
			return []byte("      --health-addr string   where (default \":9440\")\n"), nil
		})
		if err != nil || flags["health-addr"] != ":9440" {
			t.Errorf("Flags: %v, %v", flags, err)
		}
	}
	if asked != 1 {
		t.Errorf("asked %d times", asked)
	}
}
