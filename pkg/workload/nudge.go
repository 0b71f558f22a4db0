// SPDX-License-Identifier: Apache-2.0

package workload

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"

	"github.com/clusterctl/clusterctl/pkg/capi"
	"github.com/clusterctl/clusterctl/pkg/event"
	"github.com/clusterctl/clusterctl/pkg/kube"
)

// NudgeAnnotation is what a nudge changes on an object: when it was given, nothing else.
const NudgeAnnotation = "clusterctl.cluster.x-k8s.io/nudged-at"

// defaultPatience is how long nothing may move before the first nudge.
const defaultPatience = time.Minute

// nudger helps a deletion that stands still although nothing holds it. Controllers look at an object when it changes. One that missed the
// last change, or waits out a back-off of up to 1000 s because a webhook was away with its manager, leaves the object where it is; a change
// puts it to the front of the controller's queue. What a controller really waits for isn't hurried by that.
type nudger struct {
	c    *kube.Client
	key  types.NamespacedName
	sink event.Sink
	// patience doubles with every nudge: where infrastructure takes long to go, it isn't asked all the time.
	patience time.Duration

	version string                  // of the Cluster, and
	still   time.Time               // since when it is the same, or the last nudge
	before  map[types.UID]Belonging // what stood there at the look before
	looked  time.Time               // the time of that
}

// look is called with the Cluster at every look at it. Objects are listed only while the Cluster doesn't change, twice per patience.
func (n *nudger) look(ctx context.Context, cluster *unstructured.Unstructured) {
	now := time.Now()
	switch {
	case cluster.GetResourceVersion() != n.version:
		n.version, n.still, n.before = cluster.GetResourceVersion(), now, nil
		return
	case now.Sub(n.still) < n.patience/2, n.before != nil && now.Sub(n.looked) < n.patience/2, capi.Paused(cluster):
		return
	}
	standing, err := n.standing(ctx, cluster)
	if err != nil {
		return // the next look tries again; nothing depends on it
	}
	if n.before == nil {
		n.before, n.looked = standing, now
		return
	}
	for uid, o := range standing {
		if n.before[uid].version == o.version {
			n.nudge(ctx, o)
		}
	}
	n.still, n.before, n.patience = now, nil, 2*n.patience
}

// standing lists what is being deleted, kept by finalizers and not paused: what belongs to the Cluster, else the Cluster itself.
func (n *nudger) standing(ctx context.Context, cluster *unstructured.Unstructured) (map[types.UID]Belonging, error) {
	all, err := FindBelongings(ctx, n.c, n.key, cluster.GetUID())
	if err != nil {
		return nil, err
	}
	out := map[types.UID]Belonging{}
	for _, o := range all.Objects {
		if o.Deleting && len(o.Finalizers) > 0 && !o.paused {
			out[o.UID] = o
		}
	}
	if len(out) == 0 {
		out[cluster.GetUID()] = belongingOf(cluster)
	}
	return out, nil
}

// nudge changes the annotation of the very object that was seen, in the very version: one that moved meanwhile needs no nudge.
func (n *nudger) nudge(ctx context.Context, o Belonging) {
	patch, err := json.Marshal(map[string]any{"metadata": map[string]any{
		"uid": o.UID, "resourceVersion": o.version,
		"annotations": map[string]string{NudgeAnnotation: time.Now().UTC().Format(time.RFC3339)},
	}})
	if err == nil {
		_, err = n.c.Patch(ctx, o.GVK, o.Namespace, o.Name, types.MergePatchType, patch)
	}
	name := fmt.Sprintf("%s %s", o.GVK.Kind, o.Name)
	switch {
	case err == nil:
		event.Notef(n.sink, "%s hasn't changed for %s although it is being deleted: nudged its controller (annotation %s)", name, n.patience, NudgeAnnotation)
	case ctx.Err() != nil || isNotFound(err) || apierrors.IsConflict(err):
	default:
		event.Notef(n.sink, "%s hasn't changed for %s, and its controller can't be nudged: %s", name, n.patience, oneLine(err.Error()))
	}
}
