// SPDX-License-Identifier: Apache-2.0

package components

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"sigs.k8s.io/kustomize/api/krusty"
	"sigs.k8s.io/kustomize/kyaml/filesys"
)

var (
	imageLine      = regexp.MustCompile(`(?m)^(\s*(?:- )?image:) .*$`)
	pullPolicyLine = regexp.MustCompile(`(?m)^(\s*(?:- )?imagePullPolicy:) .*$`)
)

// Render builds the components YAML from a provider's config folder, as a
// release does it: with the image set, and pulled only where it is missing.
func Render(config, image string) ([]byte, error) {
	files, sources, err := load(config)
	if err != nil {
		return nil, err
	}
	if err := patch(files, "/default/manager_image_patch.yaml", imageLine, image); err != nil {
		return nil, err
	}
	if err := patch(files, "/default/manager_pull_policy.yaml", pullPolicyLine, "IfNotPresent"); err != nil {
		return nil, err
	}
	resources, err := krusty.MakeKustomizer(krusty.MakeDefaultOptions()).Run(files, "/default")
	if err != nil {
		return nil, fmt.Errorf("kustomize %s: %w", config, err)
	}
	out, err := resources.AsYaml()
	if err != nil {
		return nil, fmt.Errorf("kustomize %s: %w", config, err)
	}
	if missing := lost(Variables(sources), Variables(string(out))); len(missing) > 0 {
		return nil, fmt.Errorf("kustomize %s: variables lost: %s", config, strings.Join(missing, " "))
	}
	return out, nil
}

// load copies a folder into memory, where it can be patched: the module cache
// is read-only. It also returns, without comments, the YAML that release
// variables are in: the Deployment and its patches. Other folders hold
// placeholders of other tools.
func load(dir string) (filesys.FileSystem, string, error) {
	files := filesys.MakeFsInMemory()
	var sources strings.Builder
	err := filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(dir, path)
		if err != nil {
			return err
		}
		if folder := filepath.Dir(rel); folder == "manager" || folder == "default" {
			sources.WriteString(withoutComments(string(data)))
		}
		return files.WriteFile("/"+filepath.ToSlash(rel), data)
	})
	if err != nil {
		return nil, "", fmt.Errorf("read %s: %w", dir, err)
	}
	return files, sources.String(), nil
}

// patch sets the value of the one line in file that pattern finds.
func patch(files filesys.FileSystem, file string, pattern *regexp.Regexp, value string) error {
	data, err := files.ReadFile(file)
	if err != nil {
		return err
	}
	if found := pattern.FindAll(data, -1); len(found) != 1 {
		return fmt.Errorf("%s: %d lines to set to %s, want 1", file, len(found), value)
	}
	return files.WriteFile(file, pattern.ReplaceAll(data, []byte("${1} "+value)))
}

func withoutComments(text string) string {
	var kept []string
	for line := range strings.Lines(text) {
		if !strings.HasPrefix(strings.TrimSpace(line), "#") {
			kept = append(kept, line)
		}
	}
	return strings.Join(kept, "")
}
