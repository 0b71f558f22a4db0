// SPDX-License-Identifier: Apache-2.0

package flow

import (
	"context"
	"fmt"

	"github.com/clusterctl/clusterctl/pkg/capi"
	"github.com/clusterctl/clusterctl/pkg/fault"
	"github.com/clusterctl/clusterctl/pkg/manifest"
	moveplan "github.com/clusterctl/clusterctl/pkg/move/plan"
	"github.com/clusterctl/clusterctl/pkg/provider"
	"github.com/clusterctl/clusterctl/pkg/workload"
)

// plan is what the inputs come to: everything read, rendered and checked, nothing changed.
type plan struct {
	mode Mode
	// components are the providers to be installed, core first; nil means that the management cluster must have what the cluster needs.
	components []*provider.Components
	// releases are where the components come from.
	releases []*provider.Release
	// legacyComponents are the providers in the first clusterctl's way.
	legacyComponents []manifest.Object
	// release is where the template and its ClusterClass come from, in template mode.
	release *provider.Release
	// bootstrapOnly are objects for a new management cluster, before the providers.
	bootstrapOnly []manifest.Object
	// set are the cluster's own objects.
	set *workload.Set
	// backup is what is restored in place of them.
	backup *moveplan.Plan
	// addons are for the workload cluster.
	addons []manifest.Object
}

// readPlan reads all inputs, once. All faults come at once.
func (c *Create) readPlan(ctx context.Context) (*plan, error) {
	if c.planned != nil {
		return c.planned, nil
	}
	if err := c.record.Inputs.Validate(); err != nil {
		return nil, err
	}
	if err := c.checkVariables(); err != nil {
		return nil, err
	}
	mode, err := c.record.Inputs.Mode()
	if err != nil {
		return nil, err
	}
	p := &plan{mode: mode}
	var faults fault.List
	faults.Add(c.planCluster(ctx, p))
	faults.Add(c.planProviders(ctx, p))
	faults.Add(c.planExtras(ctx, p))
	if err := faults.Err(); err != nil {
		return nil, err
	}
	c.planned = p
	c.warnUnused(p)
	return p, nil
}

// planCluster renders the cluster's objects.
func (c *Create) planCluster(ctx context.Context, p *plan) error {
	in := c.record.Inputs
	switch p.mode {
	case FromBackup:
		return c.planBackup(ctx, p)
	case FromTemplate:
		return c.planTemplate(ctx, p)
	case FromLegacy:
		cluster, err := c.readObjects(ctx, in.ClusterFile)
		if err != nil {
			return err
		}
		machines, err := c.readObjects(ctx, in.MachinesFile)
		if err != nil {
			return err
		}
		p.set, err = workload.LoadLegacy(cluster, machines, c.target())
		return err
	}
	objs, err := c.readObjects(ctx, in.Files...)
	if err != nil {
		return err
	}
	p.set, err = workload.Load(objs, c.target())
	return err
}

func (c *Create) planTemplate(ctx context.Context, p *plan) error {
	in := c.record.Inputs
	spec, err := provider.ParseSpec(provider.InfrastructureProvider, in.Infrastructure)
	if err != nil {
		return err
	}
	if p.release, err = c.host.Config.Resolve(ctx, c.pin(ctx, spec)); err != nil {
		return err
	}
	src, err := p.release.Template(ctx, in.Flavor)
	if err != nil {
		return err
	}
	objs, err := c.render([]manifest.Source{src})
	if err != nil {
		return err
	}
	target := c.target()
	target.OverrideNamespace = true
	p.set, err = workload.Load(objs, target)
	return err
}

// planExtras reads what goes beside the cluster: addons and what a new management cluster gets first.
func (c *Create) planExtras(ctx context.Context, p *plan) error {
	var faults fault.List
	var err error
	if files := c.record.Inputs.AddonFiles; len(files) > 0 {
		p.addons, err = c.readObjects(ctx, files...)
		if err != nil {
			faults.Add(fmt.Errorf("addons: %w", err))
		}
	}
	if file := c.record.Inputs.BootstrapOnlyComponents; file != "" {
		p.bootstrapOnly, err = c.readObjects(ctx, file)
		if err != nil {
			faults.Add(fmt.Errorf("bootstrap-only components: %w", err))
		}
	}
	return faults.Err()
}

// readObjects reads files, fills their variables in and parses them.
func (c *Create) readObjects(ctx context.Context, files ...string) ([]manifest.Object, error) {
	srcs, err := manifest.ReadFiles(ctx, files, manifest.ReadOptions{Stdin: c.host.Stdin})
	if err != nil {
		return nil, err
	}
	return c.render(srcs)
}

// render fills variables in and parses; all missing variables and all syntax faults come at once.
func (c *Create) render(srcs []manifest.Source) ([]manifest.Object, error) {
	rendered, err := manifest.RenderAll(srcs, c.lookup())
	if err != nil {
		return nil, err
	}
	objs, err := parseAll(rendered)
	if err != nil {
		return nil, err
	}
	return objs, manifest.Check(objs)
}

// parseAll parses sources; the faults of all of them come at once.
func parseAll(srcs []manifest.Source) ([]manifest.Object, error) {
	var objs []manifest.Object
	var faults fault.List
	for _, src := range srcs {
		more, err := manifest.Parse(src)
		faults.Add(err)
		objs = append(objs, more...)
	}
	return objs, faults.Err()
}

func (c *Create) target() workload.LoadOptions {
	return workload.LoadOptions{Name: c.record.Name, Namespace: c.record.Namespace}
}

// usesTopology says whether the cluster is described by a topology, which needs a ClusterClass.
func (p *plan) usesTopology() bool {
	if p.backup != nil {
		return p.backupHasTopology()
	}
	return p.set != nil && capi.ReadCluster(p.set.Cluster.Unstructured).ClassName != ""
}
