// SPDX-License-Identifier: Apache-2.0

package manifest

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"github.com/clusterctl/clusterctl/pkg/fault"
)

func TestMain(m *testing.M) {
	goleak.VerifyTestMain(m, goleak.Cleanup(func(code int) { os.Exit(code) }))
}

func write(t *testing.T, dir string, files map[string]string) {
	t.Helper()
	for name, text := range files {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

func site(t *testing.T) *httptest.Server {
	t.Helper()
	mux := http.NewServeMux()
	mux.HandleFunc("/a.yaml", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "a: 1\n") })
	mux.Handle("/moved.yaml", http.RedirectHandler("/a.yaml", http.StatusFound))
	mux.HandleFunc("/page", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		fmt.Fprint(w, "<html>")
	})
	mux.HandleFunc("/status/{code}", func(w http.ResponseWriter, r *http.Request) {
		code := 0
		_, _ = fmt.Sscan(r.PathValue("code"), &code)
		w.WriteHeader(code)
	})
	srv := httptest.NewServer(mux)
	t.Cleanup(srv.Close)
	return srv
}

func TestReadFiles(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write(t, dir, map[string]string{"b.yaml": "b", "a.yml": "a", "c.json": "{}", "no.txt": "x", ".hidden.yaml": "x", "sub/d.yaml": "d", "folder.yaml/e.yaml": "e"})
	srv := site(t)
	got, err := ReadFiles(t.Context(), []string{filepath.Join(dir, "no.txt"), dir, "-", srv.URL + "/moved.yaml?token=secret"},
		ReadOptions{Stdin: strings.NewReader("stdin"), Client: srv.Client()})
	if err != nil {
		t.Fatal(err)
	}
	var lines []string
	for _, s := range got {
		name := strings.NewReplacer(dir, "DIR", srv.URL, "URL").Replace(s.Name)
		lines = append(lines, name+"="+strings.TrimSpace(string(s.Data)))
	}
	want := "DIR/no.txt=x DIR/a.yml=a DIR/b.yaml=b DIR/c.json={} stdin=stdin URL/moved.yaml=a: 1"
	if strings.Join(lines, " ") != want {
		t.Errorf("got %v, want %v", lines, want)
	}
}

func TestReadFilesErrors(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write(t, dir, map[string]string{"empty/x.txt": "", "binary.yaml": "a\x00b", "large.yaml": strings.Repeat("a", 2<<20)})
	srv := site(t)
	addr := strings.Replace(srv.URL, "http://", "http://user:secret@", 1)
	for path, want := range map[string]string{
		"":                          "read file: its name is empty",
		dir + "/none.yaml":          "read DIR/none.yaml: no such file or folder",
		dir + "/empty":              "read DIR/empty: the folder has no *.yaml, *.yml or *.json file",
		dir + "/binary.yaml":        "read DIR/binary.yaml: is not text",
		dir + "/large.yaml":         "read DIR/large.yaml: is larger than 1 MiB",
		dir + "/binary.yaml/x":      "read DIR/binary.yaml/x: not a directory",
		"-":                         "read stdin: there is no standard input",
		addr + "/status/404?x=1":    "fetch URL/status/404: there is no such file (HTTP status 404)",
		addr + "/status/403":        "fetch URL/status/403: access is denied (HTTP status 403)",
		addr + "/status/429":        "fetch URL/status/429: the server asks for fewer requests (HTTP status 429)",
		addr + "/status/503":        "fetch URL/status/503: the server has a problem (HTTP status 503)",
		addr + "/status/204":        "fetch URL/status/204: the server's answer is not the file (HTTP status 204)",
		addr + "/page":              "fetch URL/page: is a web page, not YAML",
		"http://127.0.0.1:1/a.yaml": "fetch http://127.0.0.1:1/a.yaml: dial tcp 127.0.0.1:1: connect: connection refused",
		"https://%zz/":              "fetch URL: is not a valid URL",
	} {
		_, err := ReadFiles(t.Context(), []string{path}, ReadOptions{MaxBytes: 1 << 20})
		if err == nil {
			t.Errorf("%s: no error", path)
			continue
		}
		if got := strings.NewReplacer(dir, "DIR", srv.URL, "URL").Replace(err.Error()); got != want {
			t.Errorf("%s: got %q, want %q", path, got, want)
		}
		if fault.CodeOf(err) != fault.Usage || strings.Contains(err.Error(), "secret") {
			t.Errorf("%s: %v, class %d", path, err, fault.CodeOf(err))
		}
	}
	_, err := ReadFiles(t.Context(), []string{"-", "-", dir + "/none.yaml"}, ReadOptions{Stdin: strings.NewReader("")})
	var faults *fault.List
	if !errors.As(err, &faults) || len(faults.Faults) != 2 || faults.Faults[0].Error() != `read stdin: "-" can be given only once` {
		t.Errorf("got %v", err)
	}
}

func TestReadFilesCanceled(t *testing.T) {
	t.Parallel()
	never, end := io.Pipe()
	defer end.Close()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := ReadFiles(ctx, []string{"-"}, ReadOptions{Stdin: never})
	if !errors.Is(err, context.Canceled) || fault.CodeOf(err) != fault.Interrupted {
		t.Errorf("got %v, class %d", err, fault.CodeOf(err))
	}
}

func TestNoRedirectToPlainHTTP(t *testing.T) {
	t.Parallel()
	plain := site(t)
	srv := httptest.NewTLSServer(http.RedirectHandler(plain.URL+"/a.yaml", http.StatusFound))
	t.Cleanup(srv.Close)
	client := srv.Client()
	client.CheckRedirect = (&reader{}).client().CheckRedirect
	_, err := ReadFiles(t.Context(), []string{srv.URL}, ReadOptions{Client: client})
	if err == nil || !strings.HasSuffix(err.Error(), "redirected from https to http") {
		t.Errorf("got %v", err)
	}
}
