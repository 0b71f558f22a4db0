// SPDX-License-Identifier: Apache-2.0

package flow

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/clusterctl/clusterctl/pkg/bootstrap"
	"github.com/clusterctl/clusterctl/pkg/event"
	"github.com/clusterctl/clusterctl/pkg/fault"
	"github.com/clusterctl/clusterctl/pkg/manifest"
)

// Plan is what a run would do.
type Plan struct {
	Name      string     `json:"name"`
	Namespace string     `json:"namespace"`
	Bootstrap string     `json:"bootstrap"`
	Steps     []PlanStep `json:"steps"`
	// Objects are the cluster's objects, as "Kind name".
	Objects []string `json:"objects"`
}

// PlanStep is one step of a Plan.
type PlanStep struct {
	Name string `json:"name"`
	Does string `json:"does"`
}

// DryRun checks all inputs as the preflight does, and says what each step would do. It changes nothing.
func (c *Create) DryRun(ctx context.Context) (*Plan, error) {
	if err := c.lookForReplaced(ctx); err != nil {
		return nil, refused(err)
	}
	if c.replaced != nil {
		event.Notef(c.host.Sink, "the %s was made anew since an earlier run began the cluster on it: this begins anew, too, and puts the record of that run aside", describeBootstrap(c.record.Bootstrap))
	}
	var faults fault.List
	p, err := c.readPlan(ctx)
	faults.Add(err)
	faults.Add(c.checkKubeconfigPath())
	faults.Add(c.checkHost(ctx))
	if c.record.Bootstrap.Type == bootstrap.Existing {
		faults.Add(c.checkManagement(ctx, p))
	}
	if err := faults.Err(); err != nil {
		return nil, refused(err)
	}
	out := &Plan{
		Name: c.record.Name, Namespace: c.record.Namespace, Bootstrap: describeBootstrap(c.record.Bootstrap),
		Objects: p.objects(),
	}
	for _, s := range c.steps() {
		does, err := c.planStep(ctx, s, p)
		if err != nil {
			return nil, err
		}
		out.Steps = append(out.Steps, PlanStep{Name: s.Name, Does: does})
	}
	return out, nil
}

func (c *Create) planStep(ctx context.Context, s Step, p *plan) (string, error) {
	if s.Skip != nil {
		if why := s.Skip(); why != "" {
			return "do nothing: " + why, nil
		}
	}
	switch s.Name {
	case StepBootstrap:
		return c.planBootstrap(ctx)
	case StepProviders:
		if len(p.components) == 0 {
			return "do nothing: use the providers that are installed", nil
		}
		return "install " + providerNames(p.components), nil
	case StepCluster:
		if p.backup != nil {
			return "restore " + strings.Join(p.objects(), ", "), nil
		}
		return "apply " + strings.Join(p.objects(), ", "), nil
	case StepKubeconfig:
		return "write " + c.kubeconfigPath(), nil
	case StepAddons:
		return "apply " + strings.Join(listObjects(p.addons), ", "), nil
	}
	does := strings.ToLower(s.Title[:1]) + s.Title[1:]
	if strings.HasPrefix(s.Name, StepPivot) && c.record.Inputs.Pivot == nil {
		does = "if the cluster can hold controllers: " + does
	}
	return does, nil
}

func (c *Create) planBootstrap(ctx context.Context) (string, error) {
	name := describeBootstrap(c.record.Bootstrap)
	if c.record.Bootstrap.Type == bootstrap.Existing {
		return "use the " + name, nil
	}
	st, err := c.boot.Status(ctx)
	if err != nil {
		return "", err
	}
	if st.State == bootstrap.Missing {
		return "make the " + name, nil
	}
	return fmt.Sprintf("use the %s (%s now)", name, st.State), nil
}

func listObjects(objs []manifest.Object) []string {
	out := make([]string, len(objs))
	for i, o := range objs {
		out[i] = o.GetKind() + " " + o.GetName()
	}
	slices.Sort(out)
	return out
}
