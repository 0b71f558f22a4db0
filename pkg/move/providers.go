// SPDX-License-Identifier: Apache-2.0

package move

import (
	"context"
	"fmt"

	"k8s.io/apimachinery/pkg/util/version"

	"github.com/clusterctl/clusterctl/pkg/kube"
	"github.com/clusterctl/clusterctl/pkg/provider"
)

// bothProviders are the providers of target and source with their versions, by label. They are found by what runs, and by upstream's
// inventory where there is one.
func (m *mover) bothProviders(ctx context.Context) (there, here map[string]string, err error) {
	if here, err = providersOf(ctx, m.src); err != nil {
		return nil, nil, fmt.Errorf("source: %w", err)
	}
	if there, err = providersOf(ctx, m.dst); err != nil {
		return nil, nil, fmt.Errorf("target: %w", err)
	}
	return there, here, nil
}

func providersOf(ctx context.Context, c *kube.Client) (map[string]string, error) {
	list, err := provider.Installed(ctx, c)
	if err != nil {
		return nil, err
	}
	out := make(map[string]string, len(list))
	for _, p := range list {
		out[p.Label()] = p.Version
	}
	return out, nil
}

// older compares two versions; what isn't a version is never older.
func older(a, b string) bool {
	va, err := version.ParseSemantic(a)
	if err != nil {
		return false
	}
	vb, err := version.ParseSemantic(b)
	return err == nil && va.LessThan(vb)
}
