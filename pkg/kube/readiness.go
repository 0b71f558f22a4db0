// SPDX-License-Identifier: Apache-2.0

package kube

import (
	"context"
	"fmt"
	"strings"

	"github.com/fluxcd/cli-utils/pkg/kstatus/status"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

var (
	gkCRD        = schema.GroupKind{Group: "apiextensions.k8s.io", Kind: "CustomResourceDefinition"}
	gkDeployment = schema.GroupKind{Group: "apps", Kind: "Deployment"}
	gkNamespace  = schema.GroupKind{Kind: "Namespace"}
)

// Readiness gives a condition for each object that has to become ready: CRDs (Established), Deployments
// (available) and, by kstatus, what else Kubernetes itself brings: StatefulSets, DaemonSets, Jobs, Pods,
// claims, Services, APIServices. Objects of custom kinds are left out: what ready means for them is for those to say who know them.
func (c *Client) Readiness(objs []*unstructured.Unstructured) []Condition {
	var out []Condition
	for _, u := range objs {
		gvk := u.GroupVersionKind()
		switch gk := gvk.GroupKind(); {
		case gk == gkCRD:
			out = append(out, c.CRDEstablished(u.GetName()))
		case gk == gkDeployment:
			out = append(out, c.DeploymentAvailable(u.GetNamespace(), u.GetName()))
		case hasStatus(gk):
			out = append(out, c.ObjectCondition(gvk, u.GetNamespace(), u.GetName(), current))
		}
	}
	return out
}

// hasStatus names the built-in kinds that aren't ready by being stored.
func hasStatus(gk schema.GroupKind) bool {
	switch gk.Group {
	case "":
		switch gk.Kind {
		case "Pod", "PersistentVolumeClaim", "Service", "ReplicationController":
			return true
		}
	case "apps", "batch", "policy":
		return gk.Kind != "ControllerRevision" && gk.Kind != "CronJob"
	case "apiregistration.k8s.io":
		return true
	}
	return false
}

// current asks kstatus.
func current(_ context.Context, u *unstructured.Unstructured) (bool, string, error) {
	if u == nil {
		return false, "doesn't exist", nil
	}
	r, err := status.Compute(u)
	if err != nil {
		return false, "", fmt.Errorf("understand status: %w", err)
	}
	return r.Status == status.CurrentStatus, r.Message, nil
}

// CRDEstablished waits until a CRD's kind is served: its names are accepted and the condition Established holds.
func (c *Client) CRDEstablished(name string) Condition {
	return c.ObjectCondition(gkCRD.WithVersion("v1"), "", name, established)
}

func established(_ context.Context, u *unstructured.Unstructured) (bool, string, error) {
	if u == nil {
		return false, "doesn't exist", nil
	}
	for _, cond := range conditionsOf(u) {
		switch {
		case cond.kind == "NamesAccepted" && cond.status == "False":
			return false, "names not accepted: " + cond.message, nil
		case cond.kind == "Established" && cond.status == "True":
			return true, "", nil
		case cond.kind == "Established" && cond.message != "":
			return false, "not established: " + cond.message, nil
		}
	}
	return false, "not established yet", nil
}

// statusCondition is an entry of status.conditions.
type statusCondition struct{ kind, status, reason, message string }

func (c statusCondition) text() string {
	if c.message == "" {
		return c.reason
	}
	return c.message
}

func conditionsOf(u *unstructured.Unstructured) []statusCondition {
	list, _, _ := unstructured.NestedSlice(u.Object, "status", "conditions")
	out := make([]statusCondition, 0, len(list))
	for _, item := range list {
		m, _ := item.(map[string]any)
		out = append(out, statusCondition{kind: str(m["type"]), status: str(m["status"]), reason: str(m["reason"]), message: str(m["message"])})
	}
	return out
}

func str(v any) string {
	s, _ := v.(string)
	return s
}

// joinShort lists a few names and says how many more there are.
func joinShort(names []string) string {
	const most = 3
	if len(names) > most {
		return fmt.Sprintf("%s and %d more", strings.Join(names[:most], ", "), len(names)-most)
	}
	return strings.Join(names, ", ")
}
