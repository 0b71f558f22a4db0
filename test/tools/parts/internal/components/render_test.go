// SPDX-License-Identifier: Apache-2.0

package components

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// write makes a config folder out of files by name.
func write(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, content := range files {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

const deployment = `apiVersion: apps/v1
kind: Deployment
metadata: {name: manager}
spec:
  template:
    spec:
      containers:
      - name: manager
`

func config() map[string]string {
	return map[string]string{
		"manager/manager.yaml":                deployment + "        image: none\n        args: [\"--a=${A:=:8443}\"]\n        env: [{name: E, value: '${B:=\"\"}'}]\n",
		"manager/kustomization.yaml":          "resources: [manager.yaml]\n",
		"default/manager_image_patch.yaml":    deployment + "        image: old:main\n",
		"default/manager_pull_policy.yaml":    deployment + "        imagePullPolicy: Always\n",
		"default/kustomization.yaml":          "namePrefix: x-\nresources: [../manager]\npatches:\n- path: manager_image_patch.yaml\n- path: manager_pull_policy.yaml\n# ${COMMENT}\n",
		"metrics/templates/placeholders.yaml": "a: ${OTHER_TOOL}\n",
	}
}

func TestRender(t *testing.T) {
	t.Parallel()
	out, err := Render(write(t, config()), "registry.example/new:v1")
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"name: x-manager", "image: registry.example/new:v1\n", "imagePullPolicy: IfNotPresent\n", "${A:=:8443}", `value: ${B:=""}`} {
		if !strings.Contains(string(out), want) {
			t.Errorf("no %q in:\n%s", want, out)
		}
	}
}

func TestRenderErrors(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ name, file, content, want string }{
		{"no image line", "default/manager_image_patch.yaml", deployment, "0 lines to set"},
		{"variable lost", "default/unused.yaml", "a: ${LOST}\n", "variables lost: ${LOST}"},
		{"broken kustomization", "default/kustomization.yaml", "resources: [../none]\n", "kustomize"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			files := config()
			files[test.file] = test.content
			if _, err := Render(write(t, files), "i:v1"); err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("Render() = %v, want an error with %q", err, test.want)
			}
		})
	}
}

func TestVariables(t *testing.T) {
	t.Parallel()
	got := Variables("${B} $A ${A:=[\"x\"]} ${B} ${} $(C)")
	if diff := cmp.Diff([]string{"${A:=[\"x\"]}", "${B}"}, got); diff != "" {
		t.Errorf("Variables() (-want +got):\n%s", diff)
	}
}

func TestCheckClasses(t *testing.T) {
	t.Parallel()
	template := []byte("spec:\n  topology:\n    classRef:\n      name: quick\n")
	files := map[string][]byte{"cluster-template-a.yaml": template}
	if err := checkClasses(files); err == nil {
		t.Error("a template whose class has no file: no error")
	}
	files["clusterclass-quick.yaml"] = nil
	if err := checkClasses(files); err != nil {
		t.Errorf("checkClasses() = %v", err)
	}
}
