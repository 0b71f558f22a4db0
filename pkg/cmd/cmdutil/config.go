// SPDX-License-Identifier: Apache-2.0

package cmdutil

import (
	"context"

	"github.com/clusterctl/clusterctl/pkg/event"
	"github.com/clusterctl/clusterctl/pkg/provider"
)

// loadConfig reads the configuration that --config names, or the default one; opts may bring variables from flags.
// Warnings about the file are shown.
func (f *Factory) loadConfig(ctx context.Context, opts provider.LoadOptions) (*provider.Config, error) {
	dirs, err := f.Dirs()
	if err != nil {
		return nil, err
	}
	opts.Path, opts.Dirs, opts.Getenv, opts.LookupEnv = f.Global.Config, dirs, f.Getenv, f.LookupEnv
	cfg, warnings, err := provider.LoadConfig(ctx, opts)
	if err != nil {
		return nil, err
	}
	for _, w := range warnings {
		event.Warnf(f.View(), "%s", w)
	}
	return cfg, nil
}
