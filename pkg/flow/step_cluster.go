// SPDX-License-Identifier: Apache-2.0

package flow

import (
	"context"
	"errors"
	"fmt"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"

	"github.com/clusterctl/clusterctl/pkg/fault"
	"github.com/clusterctl/clusterctl/pkg/kube"
	"github.com/clusterctl/clusterctl/pkg/manifest"
	"github.com/clusterctl/clusterctl/pkg/workload"
)

// applyCluster creates the cluster's objects, with the ClusterClasses that a template names and nobody has yet.
func (c *Create) applyCluster(ctx context.Context) (string, error) {
	p, err := c.readPlan(ctx)
	if err != nil {
		return "", err
	}
	client, err := c.management(ctx)
	if err != nil {
		return "", err
	}
	if err := c.checkNoMove(ctx, client, p); err != nil {
		return "", err
	}
	if err := c.checkNotElsewhere(ctx); err != nil {
		return "", err
	}
	if err := c.noteApplied(); err != nil {
		return "", err
	}
	if p.backup != nil {
		if err := c.noteShared(ctx, client, objectsIn(p.backup), c.record.Namespace); err != nil {
			return "", err
		}
		return c.restoreBackup(ctx, client)
	}
	if err := c.addClasses(ctx, client, p); err != nil {
		return "", err
	}
	if err := c.noteShared(ctx, client, manifest.Unwrap(p.set.Objects), p.set.Namespace); err != nil {
		return "", err
	}
	set := p.set
	if c.holdsMachines() {
		set = set.FirstMachine()
	}
	res, err := workload.Apply(ctx, client, set, workload.ApplyOptions{Sink: c.host.Sink, Step: StepCluster})
	if err != nil {
		return "", c.refusedInputs(err, res)
	}
	return "objects of the cluster: " + res.Summary(), nil
}

// noteShared notes what objects bring to an existing cluster for good.
func (c *Create) noteShared(ctx context.Context, client *kube.Client, objs []*unstructured.Unstructured, namespace string) error {
	if c.noting(client) == nil {
		return nil
	}
	return noteShared(ctx, client, objs, namespace, c.host)
}

// noteApplied notes, before the first of the Cluster's objects is written, that from now on there may be some.
func (c *Create) noteApplied() error {
	if c.record.Applied {
		return nil
	}
	c.record.Applied = true
	return c.records.Save(c.record)
}

// refusedInputs has the record forget what the management cluster turned down before anything of it was written: the cluster is still
// what earlier runs made.
func (c *Create) refusedInputs(err error, res kube.ApplyResult) error {
	code := fault.CodeOf(err)
	if c.before == nil || len(res.Objects) > 0 || code == fault.Interrupted || code == fault.Timeout {
		return err
	}
	c.record.Inputs, c.record.Variables = *c.before, c.beforeVariables
	if saveErr := c.records.Save(c.record); saveErr != nil {
		return errors.Join(err, saveErr)
	}
	return err
}

// addClasses adds missing ClusterClasses from the template's own repository, as upstream's clusterctl does. A
// ClusterClass that is on the management cluster already is left as it is: other clusters may use it.
func (c *Create) addClasses(ctx context.Context, client *kube.Client, p *plan) error {
	missing, err := workload.MissingClasses(ctx, client, p.set.Objects, p.set.Namespace)
	if err != nil || len(missing) == 0 {
		return err
	}
	objs := p.set.Objects
	for _, class := range missing {
		more, err := c.readClass(ctx, p, class)
		if err != nil {
			return err
		}
		objs = append(more, objs...)
	}
	target := c.target()
	target.OverrideNamespace = true
	p.set, err = workload.Load(objs, target)
	return err
}

func (c *Create) readClass(ctx context.Context, p *plan, class types.NamespacedName) ([]manifest.Object, error) {
	if p.release == nil {
		return nil, fault.WithHint(fault.Refusedf("the cluster uses the ClusterClass %s, which is neither in the files nor on the management cluster", class),
			"add its file with another --filename, or apply it to the management cluster first")
	}
	src, err := p.release.ClusterClass(ctx, class.Name)
	if err != nil {
		return nil, fmt.Errorf("the cluster's template uses the ClusterClass %s, which the management cluster doesn't have: %w", class, err)
	}
	return c.render([]manifest.Source{src})
}
