// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"context"
	"fmt"
	"path/filepath"

	"sigs.k8s.io/yaml"

	"github.com/clusterctl/clusterctl/test/tools/parts/internal/cache"
	"github.com/clusterctl/clusterctl/test/tools/parts/internal/providers"
)

func config(_ context.Context, args []string, process Process) error {
	c := newCommon("config", process)
	registry := c.flags.String("registry", "", "the `address` of the registry that serves the images")
	out := c.flags.String("out", "-", "the `file` to write, or - for stdout")
	planner, err := c.parse(args, process)
	if err != nil {
		return err
	}
	if *registry == "" {
		return fmt.Errorf("%w: --registry is needed", errUsage)
	}
	data, err := clusterctlConfig(planner.Dir, planner.Versions.CAPI, *registry)
	if err != nil {
		return err
	}
	if *out == "-" {
		_, err := process.Stdout.Write(data)
		return err
	}
	return replaceFile(*out, data)
}

// clusterctlConfig is a clusterctl.yaml, as upstream defines it, that takes
// the providers from the cache folder and their images from a registry.
func clusterctlConfig(dir cache.Dir, version, registry string) ([]byte, error) {
	type provider struct {
		Name string `json:"name"`
		URL  string `json:"url"`
		Type string `json:"type"`
	}
	type image struct {
		Repository string `json:"repository"`
	}
	var file struct {
		Providers []provider       `json:"providers"`
		Images    map[string]image `json:"images"`
	}
	for _, p := range providers.All() {
		url := filepath.Join(p.Dir(dir.Repository(), version), p.Components)
		file.Providers = append(file.Providers, provider{p.Name, url, p.Type})
	}
	file.Images = map[string]image{"all": {providers.ServedRepository(registry)}}
	return yaml.Marshal(file)
}
