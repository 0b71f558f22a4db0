// SPDX-License-Identifier: Apache-2.0

package flow

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"

	"github.com/clusterctl/clusterctl/pkg/capi"
	"github.com/clusterctl/clusterctl/pkg/fault"
	"github.com/clusterctl/clusterctl/pkg/kube"
	"github.com/clusterctl/clusterctl/pkg/move"
	moveplan "github.com/clusterctl/clusterctl/pkg/move/plan"
	"github.com/clusterctl/clusterctl/pkg/provider"
)

// planBackup reads a backup, and looks whether it holds the cluster.
func (c *Create) planBackup(ctx context.Context, p *plan) error {
	found, err := move.PreviewRestore(ctx, move.RestoreOptions{Dir: c.record.Inputs.Backup, Decrypt: c.opts.Decrypt})
	if err != nil {
		return fmt.Errorf("backup: %w", err)
	}
	var clusters []types.NamespacedName
	for _, o := range found.Clusters() {
		clusters = append(clusters, types.NamespacedName{Namespace: o.Namespace, Name: o.Name})
	}
	if !slices.Contains(clusters, c.key()) {
		return fault.WithHint(fault.Refusedf("the backup %s holds no Cluster %s", c.record.Inputs.Backup, c.key()), "it holds %s", joinKeys(clusters))
	}
	p.backup = found
	return nil
}

// objectsIn are the names of what a backup holds.
func objectsIn(p *moveplan.Plan) []*unstructured.Unstructured {
	out := make([]*unstructured.Unstructured, len(p.Objects))
	for i, o := range p.Objects {
		out[i] = kube.Ref{Group: o.Group, Version: o.Version, Kind: o.Kind, Namespace: o.Namespace, Name: o.Name}.Object()
	}
	return out
}

func joinKeys(keys []types.NamespacedName) string {
	if len(keys) == 0 {
		return "none at all"
	}
	out := make([]string, len(keys))
	for i, k := range keys {
		out[i] = k.String()
	}
	return strings.Join(out, ", ")
}

// backupSpecs are the providers that ran where a backup was made, in their versions.
func (c *Create) backupSpecs() ([]provider.Spec, error) {
	versions, err := move.BackupProviders(c.record.Inputs.Backup)
	if err != nil {
		return nil, fmt.Errorf("backup: %w", err) // in the words of planBackup: one fault is told of once
	}
	var out []provider.Spec
	for label, version := range versions {
		if t, name, ok := provider.ParseLabel(label); ok {
			out = append(out, provider.Spec{Type: t, Name: name, Version: version})
		}
	}
	slices.SortFunc(out, func(a, b provider.Spec) int { return strings.Compare(a.Label(), b.Label()) })
	return out, nil
}

// restoreBackup brings what a backup holds under management again. Once that is done it isn't compared any more: the controllers
// have gone on.
func (c *Create) restoreBackup(ctx context.Context, client *kube.Client) (string, error) {
	begun, err := move.Inspect(ctx, client)
	if err != nil {
		return "", err
	}
	if begun == nil {
		if there, err := holdsCluster(ctx, client, c.record.Namespace, c.record.Name); err != nil || there {
			return "objects of the cluster: there already", err
		}
	}
	target, err := c.fast(ctx)
	if err != nil {
		return "", err
	}
	defer target.Close()
	r, err := move.Restore(ctx, move.RestoreOptions{
		Target: target, Dir: c.record.Inputs.Backup, Decrypt: c.opts.Decrypt, Part: true, By: c.host.Self, Alive: c.host.Alive, Sink: within(StepCluster, c.reasons().Sink(ctx)),
	})
	if err != nil {
		return "", c.reasons().Explain(ctx, err)
	}
	return fmt.Sprintf("objects of the cluster: %d restored", r.Objects), nil
}

// objects are the names of the cluster's objects, as "Kind name".
func (p *plan) objects() []string {
	if p.backup == nil {
		return listObjects(p.set.Objects)
	}
	out := make([]string, len(p.backup.Objects))
	for i, o := range p.backup.Objects {
		out[i] = o.Kind + " " + o.Name
	}
	slices.Sort(out)
	return out
}

// backupHasTopology says whether a cluster in a backup is described by a topology.
func (p *plan) backupHasTopology() bool {
	for _, o := range p.backup.Objects {
		if o.GroupKind == capi.ClusterGK() && o.Source != nil && capi.ReadCluster(o.Source).ClassName != "" {
			return true
		}
	}
	return false
}
