// SPDX-License-Identifier: Apache-2.0

package workload

import (
	"context"
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

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
	// controllers are remembered by kind; which Deployment owns a kind doesn't change during a wait.
	controllers map[schema.GroupKind][]controller
}

type controller struct{ namespace, name string }

func (c controller) String() string { return c.namespace + "/" + c.name }

func newEvidence(c *kube.Client, logs LogsFunc) *evidence {
	return &evidence{c: c, logs: logs, controllers: map[schema.GroupKind][]controller{}}
}

// complete fills in what is known about the object of a blocker.
func (e *evidence) complete(ctx context.Context, f *finding) {
	if f.object == nil {
		return
	}
	f.LastEvent = e.lastEvent(ctx, f.object)
	for _, d := range e.controllersOf(ctx, f.object.GroupVersionKind().GroupKind()) {
		f.Controller = strings.TrimSpace(d.String() + e.health(ctx, d))
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

// controllersOf finds the Deployments of the provider that a kind belongs to: provider components
// carry one label on everything.
func (e *evidence) controllersOf(ctx context.Context, gk schema.GroupKind) []controller {
	if known, ok := e.controllers[gk]; ok {
		return known
	}
	found, err := e.findControllers(ctx, gk)
	if err == nil {
		e.controllers[gk] = found
	}
	return found
}

func (e *evidence) findControllers(ctx context.Context, gk schema.GroupKind) ([]controller, error) {
	m, err := e.c.Mapping(ctx, gk)
	if err != nil {
		return nil, err
	}
	crd, err := e.c.Get(ctx, crdGVK(), "", m.Resource.Resource+"."+gk.Group)
	if err != nil {
		return nil, err
	}
	provider := crd.GetLabels()[capi.ProviderLabel]
	if provider == "" {
		return nil, nil
	}
	list, err := e.c.List(ctx, deploymentGVK(), kube.ListOptions{LabelSelector: capi.ProviderLabel + "=" + provider, MetadataOnly: true})
	if err != nil {
		return nil, err
	}
	var out []controller
	for _, d := range list {
		out = append(out, controller{namespace: d.GetNamespace(), name: d.GetName()})
	}
	return out, nil
}

// health is a remark about a controller that isn't well, empty if it is or if that isn't known: a Deployment that nobody
// writes a status for doesn't run as pods.
func (e *evidence) health(ctx context.Context, d controller) string {
	u, err := e.c.Get(ctx, deploymentGVK(), d.namespace, d.name)
	if err != nil {
		return ""
	}
	if status, _, _ := unstructured.NestedMap(u.Object, "status"); len(status) == 0 {
		return ""
	}
	done, reason, err := e.c.DeploymentAvailable(d.namespace, d.name).Check(ctx)
	if done || err != nil || reason == "" {
		return ""
	}
	return " is not well: " + reason
}

// logLine picks the newest line that is about the object and an error, else an error, else about the object.
func (e *evidence) logLine(ctx context.Context, d controller, u *unstructured.Unstructured) string {
	if e.logs == nil {
		return ""
	}
	lines, err := e.logs(ctx, d.namespace, d.name, logLines)
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
