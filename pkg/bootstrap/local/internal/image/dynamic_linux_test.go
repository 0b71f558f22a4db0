// SPDX-License-Identifier: Apache-2.0

package image_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/clusterctl/clusterctl/pkg/bootstrap/local/internal/image"
)

// TestDynamicProgram runs a dynamically linked program out of an image, with the image's own loader and libraries.
func TestDynamicProgram(t *testing.T) {
	t.Parallel()
	program := dynamicProgram(t)
	libraries, err := exec.CommandContext(t.Context(), "ldd", program).CombinedOutput()
	if err != nil {
		t.Fatalf("ldd: %v: %s", err, libraries)
	}
	entries := []entry{file(t, program, "manager")}
	for field := range strings.FieldsSeq(string(libraries)) {
		if filepath.IsAbs(field) {
			entries = append(entries, file(t, field, strings.TrimPrefix(field, "/")))
		}
	}
	s := newServer(t)
	store := image.Store{Dir: filepath.Join(t.TempDir(), "images")}
	img, err := store.Get(t.Context(), s.push(t, "dynamic", build(t, runtime.GOARCH, layer(t, entries...))), false)
	if err != nil {
		t.Fatal(err)
	}
	argv, fixed, err := img.Program(nil, []string{"it", "runs"})
	if err != nil || fixed != 4 {
		t.Fatalf("Program: %q, %d, %v", argv, fixed, err)
	}
	out, err := exec.CommandContext(t.Context(), argv[0], argv[1:]...).CombinedOutput()
	if err != nil || string(out) != "it runs\n" {
		t.Errorf("%q: %q, %v", argv, out, err)
	}
}

// dynamicProgram compiles a program that prints its arguments, linked against this host's libraries: what hosts have in /bin may be static.
func dynamicProgram(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	source, program := filepath.Join(dir, "say.c"), filepath.Join(dir, "say")
	const text = "#include <stdio.h>\nint main(int n, char **v) { for (int i = 1; i < n; i++) printf(i > 1 ? \" %s\" : \"%s\", v[i]); return puts(\"\") < 0; }\n"
	if err := os.WriteFile(source, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.CommandContext(t.Context(), "gcc", "-o", program, source).CombinedOutput(); err != nil {
		t.Fatalf("this test needs gcc, as the race detector does: %v: %s", err, out)
	}
	return program
}

func file(t *testing.T, host, inside string) entry {
	t.Helper()
	data, err := os.ReadFile(host)
	if err != nil {
		t.Fatal(err)
	}
	return entry{name: inside, content: string(data)}
}
