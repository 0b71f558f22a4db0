// SPDX-License-Identifier: Apache-2.0

package kind

import (
	"context"
	"fmt"
	"strings"

	"sigs.k8s.io/kind/pkg/cluster"
)

// nodes lists the containers with a cluster's label. One that goes between the two questions isn't there.
func (e *cli) nodes(ctx context.Context, name string) ([]container, error) {
	out, err := e.run(ctx, nil, "ps", "--all", "--no-trunc", "--quiet", "--filter", "label="+clusterLabel+"="+name)
	if err != nil {
		return nil, err
	}
	var all []container
	for _, id := range strings.Fields(out) {
		text, err := e.run(ctx, nil, "inspect", "--type", "container", "--format", "{{.Id}} {{.Name}} {{.State.Status}}", id)
		if err != nil {
			if strings.Contains(strings.ToLower(err.Error()), "no such") {
				continue
			}
			return nil, err
		}
		f := strings.Fields(text)
		if len(f) != 3 {
			return nil, fmt.Errorf("%s inspect %s: unexpected answer %q", e.bin, id, text)
		}
		all = append(all, container{ID: f[0], Name: strings.TrimPrefix(f[1], "/"), State: f[2]})
	}
	return all, nil
}

func (e *cli) pull(ctx context.Context, image string) error {
	if _, err := e.run(ctx, nil, "image", "inspect", image); err == nil {
		return nil
	}
	_, err := e.run(ctx, nil, "pull", image)
	return err
}

func (e *cli) create(name string, config []byte, image, kubeconfig string) error {
	opts := []cluster.CreateOption{
		cluster.CreateWithRawConfig(config), cluster.CreateWithRetain(true), cluster.CreateWithKubeconfigPath(kubeconfig),
		cluster.CreateWithDisplayUsage(false), cluster.CreateWithDisplaySalutation(false),
	}
	if image != "" {
		opts = append(opts, cluster.CreateWithNodeImage(image))
	}
	return e.kind.Create(name, opts...)
}

func (e *cli) start(ctx context.Context, ids []string) error { return e.each(ctx, ids, "start") }

func (e *cli) stop(ctx context.Context, ids []string) error { return e.each(ctx, ids, "stop") }

func (e *cli) remove(ctx context.Context, ids []string) error {
	return e.each(ctx, ids, "rm", "--force", "--volumes")
}

func (e *cli) each(ctx context.Context, ids []string, args ...string) error {
	if len(ids) == 0 {
		return nil
	}
	_, err := e.run(ctx, nil, append(args, ids...)...)
	return err
}

func (e *cli) kubeconfig(name string) (string, error) { return e.kind.KubeConfig(name, false) }

func (e *cli) collectLogs(name, dir string) error { return e.kind.CollectLogs(name, dir) }
