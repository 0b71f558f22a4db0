// SPDX-License-Identifier: Apache-2.0

package flow

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/clusterctl/clusterctl/pkg/bootstrap"
	"github.com/clusterctl/clusterctl/pkg/capi"
	"github.com/clusterctl/clusterctl/pkg/event"
	"github.com/clusterctl/clusterctl/pkg/fault"
	"github.com/clusterctl/clusterctl/pkg/kube"
	"github.com/clusterctl/clusterctl/pkg/provider"
	"github.com/clusterctl/clusterctl/pkg/workload"
)

// becameManagement says whether it was ours to make it a management cluster at all.
func (a *additions) becameManagement() bool {
	return slices.ContainsFunc(a.Objects, func(r kube.Ref) bool {
		return r.Kind == "CustomResourceDefinition" && r.Name == "clusters."+capi.GroupCore
	})
}

// foreignProvider names a provider on the cluster that no run of ours put there: it may need what ours did.
func (a *additions) foreignProvider(ctx context.Context, c *kube.Client) (string, error) {
	if !a.becameManagement() {
		return "", nil
	}
	installed, err := provider.Installed(ctx, c)
	if err != nil {
		return "", err
	}
	for _, p := range installed {
		for _, d := range p.Deployments {
			ours := slices.ContainsFunc(a.Objects, func(r kube.Ref) bool { return r.Kind == "Deployment" && r.Namespace == p.Namespace && r.Name == d })
			if !ours {
				return p.Label(), nil
			}
		}
	}
	return "", nil
}

// noting gives what an installation on an existing cluster calls before its first write; nil for a cluster of ours, which goes as a whole.
func noting(rec BootstrapRecord, c *kube.Client, keep bool, h Host) func(context.Context, []kube.Ref) error {
	if rec.Type != bootstrap.Existing || keep {
		return nil
	}
	return func(ctx context.Context, missing []kube.Ref) error {
		return additionsTo(ctx, c, h, func(a *additions) error { return a.add(missing) })
	}
}

// settled waits until nobody takes anything away from an existing cluster. Who begins afterwards is known to those who want to, by the
// record of the run.
func settled(ctx context.Context, c *kube.Client, rec BootstrapRecord, h Host) error {
	if rec.Type != bootstrap.Existing {
		return nil
	}
	return additionsTo(ctx, c, h, func(*additions) error { return nil })
}

// note tells before of those objects that aren't there yet.
func note(ctx context.Context, c *kube.Client, objs []*unstructured.Unstructured, before func(context.Context, []kube.Ref) error) error {
	if before == nil {
		return nil
	}
	_, missing, err := c.Look(ctx, objs)
	if err != nil || len(missing) == 0 {
		return err
	}
	return before(ctx, missing)
}

// noteShared notes what a cluster's objects bring to an existing cluster that no deletion of the cluster takes along: namespaces, classes and
// templates. Where somebody else runs the management cluster they are his.
func noteShared(ctx context.Context, c *kube.Client, objs []*unstructured.Unstructured, namespace string, h Host) error {
	return additionsTo(ctx, c, h, func(a *additions) error {
		if !a.becameManagement() {
			return nil
		}
		_, missing, err := c.Look(ctx, sharedOf(objs, namespace))
		if err != nil {
			return err
		}
		return a.add(missing)
	})
}

// sharedOf are the namespaces of objects, and those among them that may serve several clusters.
func sharedOf(objs []*unstructured.Unstructured, namespace string) []*unstructured.Unstructured {
	var out []*unstructured.Unstructured
	namespaces := []string{namespace}
	for _, o := range objs {
		if ns := o.GetNamespace(); ns != "" && !slices.Contains(namespaces, ns) {
			namespaces = append(namespaces, ns)
		}
		if !isShared(o) {
			continue
		}
		o = o.DeepCopy()
		if o.GetNamespace() == "" && o.GetKind() != "Namespace" {
			o.SetNamespace(namespace)
		}
		out = append(out, o)
	}
	for _, ns := range namespaces {
		if !slices.ContainsFunc(out, func(o *unstructured.Unstructured) bool { return o.GetKind() == "Namespace" && o.GetName() == ns }) {
			out = append(out, kube.Ref{Version: "v1", Kind: "Namespace", Name: ns}.Object())
		}
	}
	return out
}

// isShared says whether an object may serve several clusters.
func isShared(o *unstructured.Unstructured) bool {
	gk := o.GroupVersionKind().GroupKind()
	if gk.Group == "" && gk.Kind == "Namespace" {
		return true
	}
	return strings.HasSuffix(gk.Group, capi.GroupSuffix) && (gk.Kind == "ClusterClass" || strings.HasSuffix(gk.Kind, "Template"))
}

// sharedOn lists what a management cluster has that may serve several clusters.
func sharedOn(ctx context.Context, c *kube.Client) ([]*unstructured.Unstructured, error) {
	kinds, err := c.Kinds(ctx, capi.GroupCore)
	if err != nil {
		return nil, err
	}
	var out []*unstructured.Unstructured
	for _, gvk := range kinds {
		if !isShared(kube.Ref{Group: gvk.Group, Kind: gvk.Kind}.Object()) {
			continue
		}
		list, err := c.List(ctx, gvk, kube.ListOptions{MetadataOnly: true})
		if err != nil {
			return nil, err
		}
		out = append(out, list...)
	}
	return out, nil
}

// takeBack removes from the existing cluster of a record what runs of ours put there, once nothing uses it any more. The text says what
// came out.
func takeBack(ctx context.Context, c *kube.Client, rec *Record, keep bool, h Host, step string) (text string, err error) {
	err = additionsTo(ctx, c, h, func(a *additions) error {
		text, err = a.takeBack(ctx, c, rec, keep, h, step)
		return err
	})
	return text, err
}

func (a *additions) takeBack(ctx context.Context, c *kube.Client, rec *Record, keep bool, h Host, step string) (string, error) {
	const stays = "it was there before and stays"
	if len(a.Objects) == 0 {
		return stays, nil
	}
	user, err := a.user(ctx, c, rec, h)
	if err != nil {
		return "", err
	}
	if user != "" {
		return stays + ", with what was installed there: " + user, nil
	}
	if keep {
		return stays + ", with what was installed there (--keep-providers)", a.forget()
	}
	out, err := provider.Uninstall(ctx, c, a.Objects, provider.UninstallOptions{Sink: h.Sink, Step: step})
	var used *provider.InUseError
	if errors.As(err, &used) && out.Removed == 0 {
		event.Warnf(h.Sink, "what was installed there stays: %v. When that is gone, the next deletion of a cluster there takes it away", used)
		return stays + ", with what was installed there, which is " + used.Error(), nil
	}
	if err != nil {
		return "", fault.WithHint(fmt.Errorf("remove what was installed there: %w", err), "or leave it there: --keep-providers")
	}
	for _, kept := range out.Kept {
		event.Warnf(h.Sink, "stays on the management cluster: %s", kept)
	}
	for _, r := range out.Unseen {
		event.Warnf(h.Sink, "stays on the management cluster, if it is there: %s, which these credentials may not look at", r)
	}
	return fmt.Sprintf("%s; the %d objects that were installed there are removed again", stays, out.Removed), a.forget(out.Unseen...)
}

// user says who else uses what runs of ours put on a cluster, "" for nobody.
func (a *additions) user(ctx context.Context, c *kube.Client, rec *Record, h Host) (string, error) {
	others, err := siblings(OpenRecords(h.Dirs.State), rec)
	if err != nil {
		return "", err
	}
	if len(others) > 0 {
		return fmt.Sprintf("cluster %s/%s was begun on it, too", others[0].Namespace, others[0].Name), nil
	}
	held, err := workload.List(ctx, c, "")
	if err != nil {
		return "", err
	}
	if len(held) > 0 {
		return fmt.Sprintf("it manages cluster %s/%s", held[0].Namespace, held[0].Name), nil
	}
	name, err := a.foreignProvider(ctx, c)
	if err != nil || name == "" {
		return "", err
	}
	return name + ", which somebody else installed, needs it", nil
}
