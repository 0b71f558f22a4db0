// SPDX-License-Identifier: Apache-2.0

package flow

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/clusterctl/clusterctl/pkg/bootstrap"
	"github.com/clusterctl/clusterctl/pkg/capi"
	"github.com/clusterctl/clusterctl/pkg/event"
	"github.com/clusterctl/clusterctl/pkg/fault"
	"github.com/clusterctl/clusterctl/pkg/kube"
	"github.com/clusterctl/clusterctl/pkg/kubeconfig"
)

// preflight checks everything that can be known before the first write, and then begins the run record.
func (c *Create) preflight(ctx context.Context) (string, error) {
	if err := c.lookForReplaced(ctx); err != nil {
		return "", refused(err)
	}
	var faults fault.List
	p, err := c.readPlan(ctx)
	faults.Add(err)
	faults.Add(c.checkKubeconfigPath())
	if c.record.Bootstrap.Type == bootstrap.Existing {
		faults.Add(c.checkManagement(ctx, p))
	}
	faults.Add(c.checkMoveFirst(ctx, p))
	faults.Add(c.checkHost(ctx))
	faults.Add(c.checkNotElsewhere(ctx))
	if err := faults.Err(); err != nil {
		return "", refused(err)
	}
	if err := c.begin(ctx, p); err != nil {
		return "", refused(err) // nothing was begun
	}
	return fmt.Sprintf("inputs are good: %s%s", event.Count(len(p.objects()), "object"), p.describe()), nil
}

// checkHost has a bootstrap cluster that can tell say what this host lacks.
func (c *Create) checkHost(ctx context.Context) error {
	b, ok := c.boot.(interface {
		Preflight(ctx context.Context, sink event.Sink) error
	})
	if !ok {
		return nil
	}
	return b.Preflight(ctx, c.host.Sink)
}

// refused gives an error the class of a preflight fault unless it has a class that says more.
func refused(err error) error {
	if fault.CodeOf(err) == fault.Failed {
		return fault.WithCode(fault.Refused, err)
	}
	return err
}

// begin writes the run record, before anything is made.
func (c *Create) begin(ctx context.Context, p *plan) error {
	rec := c.record
	if !c.resumed {
		var err error
		if rec.Bootstrap.Made, err = c.makes(ctx); err != nil {
			return err
		}
	}
	if err := c.identify(ctx); err != nil {
		return err
	}
	rec.Deleting = false
	if rec.Created.IsZero() {
		rec.Created = c.started.UTC()
	}
	if rec.Providers == nil {
		rec.Providers = map[string]string{}
	}
	for _, comp := range p.components {
		rec.Providers[comp.Label()] = comp.Version
	}
	if p.release != nil {
		rec.Providers[p.release.Entry.Label()] = p.release.Version
	}
	if c.replaced != nil {
		return c.saveAnew()
	}
	return c.records.Save(rec)
}

// identify notes which cluster an existing one is. Once a run had it up, and might have made something there, it is too late: where its
// kubeconfig leads now may be elsewhere.
func (c *Create) identify(ctx context.Context) error {
	if c.record.Bootstrap.Type != bootstrap.Existing || c.record.Bootstrap.UID != "" || c.record.Bootstrap.Ready {
		return nil
	}
	client, err := c.management(ctx)
	if err != nil {
		return err
	}
	if c.record.Bootstrap, err = pinned(c.record.Bootstrap, c.host); err != nil {
		return err
	}
	return c.record.Bootstrap.identify(ctx, client)
}

// kubeconfigPath is where the workload cluster's kubeconfig goes.
func (c *Create) kubeconfigPath() string {
	if p := c.record.Inputs.KubeconfigOut; p != "" {
		return p
	}
	if p := c.record.Kubeconfig; p != "" {
		return p
	}
	return filepath.Join(c.host.WorkDir, c.record.Name+".kubeconfig")
}

// checkKubeconfigPath refuses, before anything is made, to lose somebody else's file at the end.
func (c *Create) checkKubeconfigPath() error {
	path := c.kubeconfigPath()
	ours, unchanged := c.record.wrote(path)
	if unchanged {
		return nil // Who made it read-only has what this run would write.
	}
	if err := kubeconfig.CheckFile(path); err != nil || ours {
		return err
	}
	if _, err := os.Stat(path); errors.Is(err, os.ErrNotExist) {
		return nil
	}
	why := "no earlier run of this cluster wrote it"
	if c.replaced != nil {
		if theirs, _ := c.replaced.wrote(path); theirs {
			why = "it leads to the cluster that an earlier run made on another management cluster, and that may run still"
		}
	}
	return fault.WithHint(fault.Refusedf("%s exists already, and %s", path, why),
		"move it away, or choose another file with --kubeconfig-out")
}

// checkManagement looks at an existing management cluster: reachable, and we may do what we are going to.
func (c *Create) checkManagement(ctx context.Context, p *plan) error {
	client, err := c.management(ctx)
	if err != nil {
		return err
	}
	if _, err := client.Ping(ctx); err != nil {
		return err
	}
	denied, err := client.Denied(ctx, c.rights(p))
	if err != nil {
		return err
	}
	var faults fault.List
	for _, r := range denied {
		faults.Add(fault.WithHint(fault.Refusedf("the %s doesn't allow you to %s", describeBootstrap(c.record.Bootstrap), r),
			"ask its administrator for the right, or use another kubeconfig"))
	}
	return faults.Err()
}

// rights are what a run needs on the management cluster.
func (c *Create) rights(p *plan) []kube.Right {
	ns := c.record.Namespace
	out := []kube.Right{
		{Verb: "patch", Group: capi.GroupCore, Resource: "clusters", Namespace: ns},
		{Verb: "get", Group: capi.GroupCore, Resource: "clusters", Namespace: ns},
		{Verb: "get", Resource: "secrets", Namespace: ns},
	}
	if p != nil && len(p.components) > 0 {
		out = append(
			out,
			kube.Right{Verb: "patch", Group: "apiextensions.k8s.io", Resource: "customresourcedefinitions"},
			kube.Right{Verb: "patch", Group: "rbac.authorization.k8s.io", Resource: "clusterroles"},
			kube.Right{Verb: "patch", Resource: "namespaces"},
		)
	}
	return out
}

// describe says what a plan holds beside the cluster's objects.
func (p *plan) describe() string {
	s := ""
	if len(p.components) > 0 {
		s += ", " + event.Count(len(p.components), "provider")
	}
	if len(p.addons) > 0 {
		s += ", " + event.Count(len(p.addons), "addon object")
	}
	return s
}
