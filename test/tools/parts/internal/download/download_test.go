// SPDX-License-Identifier: Apache-2.0

package download

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestChecked(t *testing.T) {
	t.Parallel()
	sum := fmt.Sprintf("%x", sha256.Sum256([]byte("binary")))
	for _, test := range []struct {
		name, sum   string
		ok          bool
		unavailable bool
	}{
		{"right sum", sum, true, false},
		{"sum and name", strings.ToUpper(sum) + "  file\n", true, false},
		{"wrong sum", strings.Repeat("0", 64), false, false},
		{"no sum but a page", "<html>", false, true},
		{"no file", "", false, true},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				switch {
				case test.sum == "":
					http.NotFound(w, r)
				case strings.HasSuffix(r.URL.Path, ".sha256"):
					fmt.Fprint(w, test.sum)
				default:
					fmt.Fprint(w, "binary")
				}
			}))
			defer server.Close()
			out := filepath.Join(t.TempDir(), "file")
			err := NewClient().Checked(t.Context(), server.URL+"/file", out)
			if (err == nil) != test.ok || errors.Is(err, ErrUnavailable) != test.unavailable {
				t.Fatalf("Checked() = %v, want ok %v, unavailable %v", err, test.ok, test.unavailable)
			}
			data, _ := os.ReadFile(out)
			if got := string(data) == "binary"; got != test.ok {
				t.Errorf("file written: %v, want %v", got, test.ok)
			}
		})
	}
}

func TestUnreachableHostIsRemembered(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.NotFoundHandler())
	url := server.URL
	server.Close()
	client := NewClient()
	first := client.Checked(t.Context(), url+"/a", filepath.Join(t.TempDir(), "a"))
	second := client.Checked(t.Context(), url+"/b", filepath.Join(t.TempDir(), "b"))
	if !errors.Is(first, ErrUnavailable) || !errors.Is(second, ErrUnavailable) {
		t.Errorf("Checked() = %v, then %v, want ErrUnavailable", first, second)
	}
	if len(client.unreachable) != 1 {
		t.Errorf("remembered %d hosts, want 1", len(client.unreachable))
	}
}
