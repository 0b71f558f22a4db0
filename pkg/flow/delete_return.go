// SPDX-License-Identifier: Apache-2.0

package flow

import (
	"context"
	"time"

	"github.com/clusterctl/clusterctl/pkg/bootstrap"
	"github.com/clusterctl/clusterctl/pkg/event"
	"github.com/clusterctl/clusterctl/pkg/provider"
)

// beginReturn notes, before anything is made, from where to where the cluster is moved out of itself.
func (d *Delete) beginReturn(ctx context.Context) error {
	rec, why, err := ChooseBootstrap(d.opts.Bootstrap, d.opts.Name, d.host)
	if err != nil {
		return err
	}
	if rec, err = pinned(rec, d.host); err != nil {
		return err
	}
	if why != "" {
		event.Notef(d.host.Sink, "using %s: %s", describeBootstrap(rec), why)
	}
	self, err := d.selfRecord(ctx)
	if err != nil {
		return err
	}
	if err := d.resolveKind(ctx, rec); err != nil {
		return err
	}
	boot, err := openBootstrap(rec, d.opts.Bootstrap, d.host)
	if err != nil {
		return err
	}
	if rec.Type == bootstrap.Existing {
		target, err := connect(d.host, rec.Kubeconfig, rec.Context, nil)
		if err != nil {
			return err
		}
		defer target.Close()
		if err := rec.identify(ctx, target); err != nil {
			return err
		}
	} else {
		st, err := boot.Status(ctx)
		if err != nil {
			return err
		}
		rec.Made = st.State == bootstrap.Missing
	}
	if d.record == nil {
		d.record = &Record{Name: d.opts.Name, Namespace: d.opts.Namespace, Created: time.Now().UTC()}
	}
	d.record.Self, d.record.Bootstrap, d.record.Pivot, d.record.Kind = &self, rec, Returning, d.opts.Bootstrap.Kind
	d.record.Snapshot, d.record.Released = "", false // What an earlier move out kept is out of date.
	d.record.Applied = true
	d.boot, d.mgmt = boot, nil
	return d.records.Save(d.record)
}

// selfRecord says how the cluster itself is reached, and which one it is.
func (d *Delete) selfRecord(ctx context.Context) (BootstrapRecord, error) {
	self := BootstrapRecord{Type: bootstrap.Existing, Kubeconfig: d.opts.Kubeconfig, Context: d.opts.Context}
	if d.record != nil && d.opts.Kubeconfig == "" && d.opts.Context == "" {
		self = d.record.Bootstrap
	}
	client, err := d.management(ctx)
	if err != nil {
		return self, err
	}
	if self, err = pinned(self, d.host); err != nil {
		return self, err
	}
	self.Itself = true
	return self, self.identify(ctx, client)
}

// resolveKind lays the options for kind that were given now over those that create was given: the same images are needed again.
func (d *Delete) resolveKind(ctx context.Context, rec BootstrapRecord) error {
	if rec.Type != bootstrap.Kind {
		return nil
	}
	var old KindOptions
	if d.record != nil {
		old = d.record.Kind
	}
	client, err := d.management(ctx)
	if err != nil {
		return err
	}
	installed, err := provider.Installed(ctx, client)
	if err != nil {
		return err
	}
	k := d.opts.Bootstrap.Kind
	for _, p := range installed {
		k.MountEngineSocket = k.MountEngineSocket || p.Type == provider.InfrastructureProvider && p.Name == "docker"
	}
	d.opts.Bootstrap.Kind, err = k.over(old)
	return err
}
