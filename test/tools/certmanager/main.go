// SPDX-License-Identifier: Apache-2.0

// Certmanager prints the manifest of a cert-manager release: what a release makes of the chart and the definitions in
// its source tree, which come without one.
package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"helm.sh/helm/v3/pkg/chart/loader"
	"helm.sh/helm/v3/pkg/chartutil"
	"helm.sh/helm/v3/pkg/engine"
)

const namespace = "cert-manager"

func main() {
	if len(os.Args) != 3 {
		fmt.Fprintln(os.Stderr, "usage: certmanager SOURCE-TREE VERSION")
		os.Exit(2)
	}
	if err := run(os.Args[1], os.Args[2]); err != nil {
		fmt.Fprintln(os.Stderr, "certmanager:", err)
		os.Exit(1)
	}
}

func run(root, version string) error {
	files, err := chart(root, version)
	if err != nil {
		return err
	}
	loaded, err := loader.LoadFiles(files)
	if err != nil {
		return err
	}
	values, err := chartutil.ToRenderValues(loaded, map[string]any{
		"installCRDs": true, "creator": "static", "startupapicheck": map[string]any{"enabled": false},
	}, chartutil.ReleaseOptions{Name: "cert-manager", Namespace: namespace, IsInstall: true}, &chartutil.Capabilities{KubeVersion: chartutil.KubeVersion{Version: "v1.34.0", Major: "1", Minor: "34"}})
	if err != nil {
		return err
	}
	rendered, err := engine.Render(loaded, values)
	if err != nil {
		return err
	}
	head, err := os.ReadFile(filepath.Join(root, "deploy", "manifests", "namespace.yaml"))
	if err != nil {
		return err
	}
	out := string(head)
	names := make([]string, 0, len(rendered))
	for name := range rendered {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		if text := strings.TrimSpace(rendered[name]); text != "" && strings.HasSuffix(name, ".yaml") {
			out += "\n---\n" + strings.TrimPrefix(text, "---\n") + "\n"
		}
	}
	_, err = os.Stdout.WriteString(out)
	return err
}

// chart is the chart with the definitions in it, as a release packs it.
func chart(root, version string) ([]*loader.BufferedFile, error) {
	dir := filepath.Join(root, "deploy", "charts", "cert-manager")
	info, err := os.ReadFile(filepath.Join(dir, "Chart.template.yaml"))
	if err != nil {
		return nil, err
	}
	values, err := os.ReadFile(filepath.Join(dir, "values.yaml"))
	if err != nil {
		return nil, err
	}
	files := []*loader.BufferedFile{
		{Name: "Chart.yaml", Data: []byte(strings.ReplaceAll(string(info), "v0.1.0", version))},
		{Name: "values.yaml", Data: values},
	}
	templates, err := filepath.Glob(filepath.Join(dir, "templates", "*"))
	if err != nil {
		return nil, err
	}
	crds, err := filepath.Glob(filepath.Join(root, "deploy", "crds", "*.yaml"))
	if err != nil {
		return nil, err
	}
	for _, path := range append(templates, crds...) {
		data, err := os.ReadFile(path)
		if err != nil {
			return nil, err
		}
		files = append(files, &loader.BufferedFile{Name: "templates/" + filepath.Base(path), Data: data})
	}
	return files, nil
}
