// SPDX-License-Identifier: Apache-2.0

package components

import (
	"fmt"
	"os"
	"path"
	"path/filepath"
	"regexp"

	"github.com/clusterctl/clusterctl/test/tools/parts/internal/providers"
)

// Release returns the files of a provider's folder in a repository, by name.
// metadata is the content of the metadata.yaml that all providers share, root
// the folder of the provider's module.
func Release(provider providers.Provider, root, version string, metadata []byte) (map[string][]byte, error) {
	source := filepath.Join(root, filepath.FromSlash(provider.Source))
	rendered, err := Render(filepath.Join(source, "config"), provider.ReleasedImage(version))
	if err != nil {
		return nil, err
	}
	files := map[string][]byte{provider.Components: rendered, "metadata.yaml": metadata}
	if provider.Templates == "" {
		return files, nil
	}
	templates, err := filepath.Glob(filepath.Join(source, provider.Templates, "*.yaml"))
	if err != nil {
		return nil, err
	}
	for _, template := range templates {
		data, err := os.ReadFile(template)
		if err != nil {
			return nil, err
		}
		files[filepath.Base(template)] = data
	}
	return files, checkClasses(files)
}

// classReference finds the ClusterClass that a cluster template names.
var classReference = regexp.MustCompile(`(?m)^\s*classRef:\n\s*name: (\S+)$`)

// checkClasses makes sure that the ClusterClass that a template names is found
// where clusterctl looks for it: in clusterclass-NAME.yaml.
func checkClasses(files map[string][]byte) error {
	for name, data := range files {
		if ok, _ := path.Match("cluster-template*.yaml", name); !ok {
			continue
		}
		for _, match := range classReference.FindAllSubmatch(data, -1) {
			class := "clusterclass-" + string(match[1]) + ".yaml"
			if _, ok := files[class]; !ok {
				return fmt.Errorf("%s names a class that has no file %s", name, class)
			}
		}
	}
	return nil
}
