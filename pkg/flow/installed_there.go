// SPDX-License-Identifier: Apache-2.0

package flow

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
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

// additions is what runs of ours put on an existing cluster to make it a management cluster, so that it comes out as it went in when the
// last cluster is gone from it. It is kept by the UID of the cluster's kube-system namespace: several runs may use one cluster, under
// several kubeconfigs.
type additions struct {
	path string
	// Objects weren't there before.
	Objects []kube.Ref `json:"objects"`
}

// additionsTo reads what is known of a cluster; without a file that is nothing.
func additionsTo(ctx context.Context, c *kube.Client, stateDir string) (*additions, error) {
	uid, err := c.UID(ctx)
	if err != nil {
		return nil, err
	}
	a := &additions{path: filepath.Join(stateDir, "existing", uid+".json")}
	data, err := os.ReadFile(a.path)
	if errors.Is(err, fs.ErrNotExist) {
		return a, nil
	} else if err != nil {
		return nil, fmt.Errorf("read what was installed on %s: %w", c.Host(), err)
	}
	if err := json.Unmarshal(data, a); err != nil {
		return nil, fault.WithHint(fmt.Errorf("read what was installed on %s: %s is damaged: %w", c.Host(), a.path, err),
			"move the file away, or leave what is installed there: --keep-providers")
	}
	return a, nil
}

// add notes objects before they are created.
func (a *additions) add(refs []kube.Ref) error {
	known := len(a.Objects)
	for _, r := range refs {
		if !slices.Contains(a.Objects, r) {
			a.Objects = append(a.Objects, r)
		}
	}
	if len(a.Objects) == known {
		return nil
	}
	data, err := json.Marshal(a)
	if err != nil {
		return err
	}
	if err := writePrivate(a.path, data); err != nil {
		return fmt.Errorf("note what is installed: %w", err)
	}
	return nil
}

// forget drops the note.
func (a *additions) forget() error {
	err := os.Remove(a.path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	_ = os.Remove(filepath.Dir(a.path)) // if it was the last one
	return err
}

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
		a, err := additionsTo(ctx, c, h.Dirs.State)
		if err != nil {
			return err
		}
		return a.add(missing)
	}
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

// noteShared notes what a cluster's objects bring to an existing cluster that no deletion of the cluster takes along: its namespace,
// classes and templates. Where somebody else runs the management cluster they are his.
func noteShared(ctx context.Context, c *kube.Client, objs []*unstructured.Unstructured, namespace string, h Host) error {
	a, err := additionsTo(ctx, c, h.Dirs.State)
	if err != nil || !a.becameManagement() {
		return err
	}
	shared := []*unstructured.Unstructured{kube.Ref{Version: "v1", Kind: "Namespace", Name: namespace}.Object()}
	for _, o := range objs {
		if isShared(o) {
			o = o.DeepCopy()
			if o.GetNamespace() == "" {
				o.SetNamespace(namespace)
			}
			shared = append(shared, o)
		}
	}
	_, missing, err := c.Look(ctx, shared)
	if err != nil {
		return err
	}
	return a.add(missing)
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
func takeBack(ctx context.Context, c *kube.Client, rec *Record, keep bool, h Host, step string) (string, error) {
	const stays = "it was there before and stays"
	a, err := additionsTo(ctx, c, h.Dirs.State)
	if err != nil || len(a.Objects) == 0 {
		return stays, err
	}
	if keep {
		return stays + ", with what was installed there (--keep-providers)", a.forget()
	}
	others, err := siblings(OpenRecords(h.Dirs.State), rec)
	if err != nil {
		return "", err
	}
	if len(others) > 0 {
		return fmt.Sprintf("%s, with what was installed there: cluster %s/%s was begun on it, too", stays, others[0].Namespace, others[0].Name), nil
	}
	held, err := workload.List(ctx, c, "")
	if err != nil {
		return "", err
	}
	if len(held) > 0 {
		return fmt.Sprintf("%s, with what was installed there: it manages cluster %s/%s", stays, held[0].Namespace, held[0].Name), nil
	}
	if name, err := a.foreignProvider(ctx, c); err != nil {
		return "", err
	} else if name != "" {
		return fmt.Sprintf("%s, with what was installed there: %s, which somebody else installed, needs it", stays, name), nil
	}
	out, err := provider.Uninstall(ctx, c, a.Objects, provider.UninstallOptions{Sink: h.Sink, Step: step})
	var used *provider.InUseError
	if errors.As(err, &used) {
		event.Warnf(h.Sink, "what was installed there stays: %v", used)
		return stays + ", with what was installed there, which is " + used.Error(), nil
	}
	if err != nil {
		return "", fault.WithHint(fmt.Errorf("remove what was installed there: %w", err), "or leave it there: --keep-providers")
	}
	for _, kept := range out.Kept {
		event.Warnf(h.Sink, "stays on the management cluster: %s", kept)
	}
	return fmt.Sprintf("%s; the %d objects that were installed there are removed again", stays, out.Removed), a.forget()
}
