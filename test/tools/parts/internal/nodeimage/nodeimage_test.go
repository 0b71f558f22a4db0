// SPDX-License-Identifier: Apache-2.0

package nodeimage

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"
)

func TestExtractFollowsLinks(t *testing.T) {
	t.Parallel()
	from, to := t.TempDir(), filepath.Join(t.TempDir(), "to")
	if err := writeFile(filepath.Join(from, "usr/bin/dash"), "#!x", 0o755); err != nil {
		t.Fatal(err)
	}
	if err := writeFile(filepath.Join(from, "usr/bin/other"), "", 0o755); err != nil {
		t.Fatal(err)
	}
	for link, target := range map[string]string{"bin": "usr/bin", "usr/bin/sh": "/etc/alternatives/sh", "etc/alternatives/sh": "/bin/dash"} {
		path := filepath.Join(from, link)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(target, path); err != nil {
			t.Fatal(err)
		}
	}
	if err := extract(from, to, []string{"/bin/sh"}); err != nil {
		t.Fatal(err)
	}
	for _, link := range []string{"bin", "usr/bin/sh", "etc/alternatives/sh"} {
		want, _ := os.Readlink(filepath.Join(from, link))
		if got, err := os.Readlink(filepath.Join(to, link)); err != nil || got != want {
			t.Errorf("%s leads to %q, %v, want %q", link, got, err, want)
		}
	}
	if info, err := os.Stat(filepath.Join(to, "usr/bin/dash")); err != nil || info.Mode().Perm() != 0o755 {
		t.Errorf("the file itself: %v, %v", info, err)
	}
	if _, err := os.Stat(filepath.Join(to, "usr/bin/other")); !os.IsNotExist(err) {
		t.Errorf("a file that wasn't named: %v", err)
	}
}

func TestExtractWithout(t *testing.T) {
	t.Parallel()
	from := t.TempDir()
	if err := extract(from, t.TempDir(), []string{"/none"}); err == nil {
		t.Error("extract() of a file that isn't there: no error")
	}
	if err := os.Symlink("loop", filepath.Join(from, "loop")); err != nil {
		t.Fatal(err)
	}
	if err := extract(from, t.TempDir(), []string{"/loop"}); err == nil {
		t.Error("extract() of a link to itself: no error")
	}
}

func TestLibraries(t *testing.T) {
	t.Parallel()
	if got, err := libraries([]byte("#!/bin/sh\n")); err != nil || len(got) != 0 {
		t.Errorf("libraries() of a script = %v, %v", got, err)
	}
	data, err := os.ReadFile("/bin/ls")
	if err != nil {
		t.Fatal(err)
	}
	got, err := libraries(data)
	if err != nil || !strings.Contains(strings.Join(got, " "), "libc.") {
		t.Errorf("libraries() of ls = %v, %v, want a C library among them", got, err)
	}
}

func TestCNIManifest(t *testing.T) {
	t.Parallel()
	text := string(CNIManifest())
	if !strings.Contains(text, "image: "+CNIImage+"\n") {
		t.Errorf("the manifest doesn't name %s", CNIImage)
	}
	for _, document := range strings.Split(text, "\n---\n") {
		var object map[string]any
		if err := yaml.UnmarshalStrict([]byte(document), &object); err != nil || object["kind"] == nil {
			t.Errorf("no object: %v in\n%s", err, document)
		}
	}
}

func TestSystemImageWithoutProgram(t *testing.T) {
	t.Parallel()
	if _, err := systemImage(Programs{}, "", "registry.k8s.io/nope:v1", "amd64"); err == nil {
		t.Error("an image that there is no program for: no error")
	}
}
