// SPDX-License-Identifier: Apache-2.0

package workload

import (
	"context"
	"fmt"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	"github.com/clusterctl/clusterctl/pkg/capi"
	"github.com/clusterctl/clusterctl/pkg/kube"
)

// LogsFunc returns the last n lines of the log of a controller's Deployment, oldest first.
type LogsFunc func(ctx context.Context, namespace, deployment string, n int) ([]string, error)

// logLines is how far back a controller's log is read for a line that tells something.
const logLines = 80

// evidence finds what else is known about an object that blocks: its events and its controller. What it can't find out it
// leaves empty: it serves explanations, and must not fail a wait.
type evidence struct {
	c    *kube.Client
	logs LogsFunc
	// owners are remembered by kind; who owns a kind doesn't change during a wait.
	owners map[schema.GroupKind]owner
	// found is what was found out lately.
	found map[sought]foundOut
}

// sought is an object, and whether it is paused: then nothing is looked for but its events.
type sought struct {
	uid    types.UID
	paused bool
}

// foundOut is what is known beside an object, and since when.
type foundOut struct {
	lastEvent, controller, logLine string
	at                             time.Time
}

// evidenceAge is how long that stands: events and logs explain, and are many requests, while conditions are looked at more often.
const evidenceAge = 5 * time.Second

// owner is the provider of a kind, empty if unknown, and its Deployments.
type owner struct {
	provider    string
	deployments []types.NamespacedName
}

func newEvidence(c *kube.Client, logs LogsFunc) *evidence {
	return &evidence{c: c, logs: logs, owners: map[schema.GroupKind]owner{}, found: map[sought]foundOut{}}
}

// complete fills in what is known about the object of a blocker.
func (e *evidence) complete(ctx context.Context, f *finding) {
	if f.object == nil {
		return
	}
	what := sought{f.object.GetUID(), f.Condition == capi.ConditionPaused}
	if known := e.found[what]; time.Since(known.at) < evidenceAge {
		f.LastEvent, f.Controller, f.LogLine = known.lastEvent, known.controller, known.logLine
		return
	}
	e.find(ctx, f)
	e.found[what] = foundOut{f.LastEvent, f.Controller, f.LogLine, time.Now()}
}

// find asks for all of it.
func (e *evidence) find(ctx context.Context, f *finding) {
	f.LastEvent = e.lastEvent(ctx, f.object)
	if f.Condition == capi.ConditionPaused {
		return // its controllers do nothing, as they were told
	}
	o := e.ownerOf(ctx, f.object.GroupVersionKind().GroupKind())
	if o.provider != "" && len(o.deployments) == 0 {
		f.Controller = "there is no Deployment of the provider " + o.provider
	}
	for _, d := range o.deployments {
		f.Controller = d.String() + e.health(ctx, d)
		if f.LogLine = e.logLine(ctx, d, f.object); f.LogLine != "" {
			return
		}
	}
}

// lastEvent is the newest warning, else the newest event.
func (e *evidence) lastEvent(ctx context.Context, u *unstructured.Unstructured) string {
	events, err := e.c.Events(ctx, u.GetNamespace(), string(u.GetUID()))
	if err != nil || len(events) == 0 {
		return ""
	}
	best := events[0]
	for _, ev := range events {
		if ev.Type == "Warning" {
			best = ev
			break
		}
	}
	return fmt.Sprintf("%s %s: %s", best.Type, best.Reason, oneLine(best.Message))
}

// ownerOf finds the provider that a kind belongs to, and its Deployments: provider components carry one label on everything.
func (e *evidence) ownerOf(ctx context.Context, gk schema.GroupKind) owner {
	if known, ok := e.owners[gk]; ok {
		return known
	}
	found, err := e.findOwner(ctx, gk)
	if err == nil {
		e.owners[gk] = found
	}
	return found
}

func (e *evidence) findOwner(ctx context.Context, gk schema.GroupKind) (owner, error) {
	m, err := e.c.Mapping(ctx, gk)
	if err != nil {
		return owner{}, err
	}
	crd, err := e.c.Get(ctx, crdGVK(), "", m.Resource.Resource+"."+gk.Group)
	if err != nil {
		return owner{}, err
	}
	o := owner{provider: crd.GetLabels()[capi.ProviderLabel]}
	if o.provider == "" {
		return o, nil
	}
	list, err := e.c.List(ctx, deploymentGVK(), kube.ListOptions{LabelSelector: capi.ProviderLabel + "=" + o.provider, MetadataOnly: true})
	if err != nil {
		return owner{}, err
	}
	for _, d := range list {
		o.deployments = append(o.deployments, types.NamespacedName{Namespace: d.GetNamespace(), Name: d.GetName()})
	}
	return o, nil
}

// health is a remark about a controller that isn't well, empty if it is or if that isn't known: a Deployment that nobody
// writes a status for doesn't run as pods.
func (e *evidence) health(ctx context.Context, d types.NamespacedName) string {
	u, err := e.c.Get(ctx, deploymentGVK(), d.Namespace, d.Name)
	if err != nil {
		return ""
	}
	if status, _, _ := unstructured.NestedMap(u.Object, "status"); len(status) == 0 {
		return ""
	}
	done, reason, err := e.c.DeploymentAvailable(d.Namespace, d.Name).Check(ctx)
	if done || err != nil || reason == "" {
		return ""
	}
	return " is not well: " + reason
}

// logLine picks the newest line that is about the object and an error, else an error, else about the object.
func (e *evidence) logLine(ctx context.Context, d types.NamespacedName, u *unstructured.Unstructured) string {
	if e.logs == nil {
		return ""
	}
	lines, err := e.logs(ctx, d.Namespace, d.Name, logLines)
	if err != nil {
		return ""
	}
	best, rank := "", 0
	for i := len(lines) - 1; i >= 0; i-- {
		r := 0
		if isErrorLine(lines[i]) {
			r += 2
		}
		if strings.Contains(lines[i], u.GetName()) {
			r++
		}
		if r > rank {
			best, rank = lines[i], r
		}
	}
	return best
}

// isErrorLine knows klog's text ("E0102 …"), its JSON and what panics look like.
func isErrorLine(line string) bool {
	trimmed := strings.TrimSpace(line)
	if len(trimmed) > 5 && (trimmed[0] == 'E' || trimmed[0] == 'F') && strings.Trim(trimmed[1:5], "0123456789") == "" {
		return true
	}
	return strings.HasPrefix(trimmed, "panic:") || strings.Contains(trimmed, `"level":"error"`) || strings.Contains(trimmed, "level=error")
}

func crdGVK() schema.GroupVersionKind {
	return schema.GroupVersionKind{Group: "apiextensions.k8s.io", Version: "v1", Kind: "CustomResourceDefinition"}
}

func deploymentGVK() schema.GroupVersionKind {
	return schema.GroupVersionKind{Group: "apps", Version: "v1", Kind: "Deployment"}
}
