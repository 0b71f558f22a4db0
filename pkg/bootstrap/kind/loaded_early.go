// SPDX-License-Identifier: Apache-2.0

package kind

import (
	"context"
	"slices"
	"time"

	"github.com/clusterctl/clusterctl/pkg/event"
)

// earlyPoll is how often new nodes are asked whether they take images.
const earlyPoll = 500 * time.Millisecond

// createLoading runs kind, and puts images on the nodes while it works: kind mostly waits for the control plane then. It is only to save
// time: what couldn't be loaded is loaded, or is an error, once the nodes are known.
func (c *Cluster) createLoading(ctx context.Context, e engine, rec *record, config []byte, sink event.Sink) error {
	if len(c.opts.LoadImages) == 0 {
		return c.create(ctx, e, rec, config)
	}
	early, stop := context.WithCancel(ctx)
	defer stop()
	made := make(chan struct{})
	loadedEarly := make(chan map[string]loaded, 1)
	go func() { loadedEarly <- loadEarly(early, made, e, rec.Cluster, c.opts.LoadImages, sink) }()
	err := c.create(ctx, e, rec, config)
	close(made)
	if err != nil {
		stop()
		select { // An image that is on its way ends with the containers; nobody may be able to end it sooner.
		case <-loadedEarly:
		case <-time.After(loadPatience):
		}
		return err
	}
	rec.Loaded = <-loadedEarly
	return nil
}

// loadPatience is how long the end of a failed start waits for an image that is on its way.
const loadPatience = 5 * time.Second

// loadEarly loads images as soon as there are nodes that take them, until one can't be loaded. It says what the nodes have then. Where no
// node takes any before the cluster is made, it leaves all of them to who comes after.
func loadEarly(ctx context.Context, made <-chan struct{}, e engine, cluster string, images []string, sink event.Sink) map[string]loaded {
	for !e.takesImages(ctx, cluster) {
		select {
		case <-ctx.Done():
			return nil
		case <-made:
			return nil
		case <-time.After(earlyPoll):
		}
	}
	nodes, err := e.nodes(ctx, cluster)
	if err != nil {
		return nil
	}
	on := ids(nodes)
	slices.Sort(on)
	out := map[string]loaded{}
	for _, image := range images {
		source, err := sourceOf(ctx, e, image)
		if err != nil || ctx.Err() != nil {
			return out
		}
		event.Progressf(sink, stepEnsure, "loading image %s", image)
		if err := e.load(ctx, cluster, image); err != nil {
			return out
		}
		out[image] = loaded{Source: source, Nodes: on}
	}
	return out
}
