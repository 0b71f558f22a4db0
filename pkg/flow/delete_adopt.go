// SPDX-License-Identifier: Apache-2.0

package flow

import (
	"context"
	"errors"

	"github.com/clusterctl/clusterctl/pkg/bootstrap"
	"github.com/clusterctl/clusterctl/pkg/kube"
)

// adopt finds the record of a Cluster whose management cluster was named in another way than the record does, for example by another
// kubeconfig or through a tunnel: it is known by its UID. From then on it is reached as it was named now.
func (d *Delete) adopt(ctx context.Context) error {
	if d.record != nil || d.looked {
		return nil
	}
	rec, err := d.records.Load(d.opts.Namespace, d.opts.Name)
	if err != nil || rec.Bootstrap.UID == "" && (rec.Self == nil || rec.Self.UID == "") {
		return nil //nolint:nilerr // Without a record that can be read it is deleted as one that nobody made here.
	}
	client, err := d.management(ctx)
	if err != nil {
		return err
	}
	uid, err := client.UID(ctx)
	if errors.Is(err, kube.ErrForbidden) {
		return nil
	} else if err != nil {
		return err
	}
	given, err := pinned(BootstrapRecord{Type: bootstrap.Existing, Kubeconfig: d.opts.Kubeconfig, Context: d.opts.Context}, d.host)
	if err != nil {
		return err
	}
	if !rec.reachedBy(given, uid) {
		return nil
	}
	kind, err := d.opts.Bootstrap.Kind.over(rec.Kind)
	if err != nil {
		return err
	}
	d.opts.Bootstrap.Kind = kind
	d.boot, err = openBootstrap(rec.Bootstrap, d.opts.Bootstrap, d.host)
	d.record, d.mgmt = rec, nil
	return err
}

// reachedBy has a record say that its management cluster, or the cluster itself, is reached in another way, if it has that UID.
func (rec *Record) reachedBy(given BootstrapRecord, uid string) bool {
	known := false
	for _, b := range []*BootstrapRecord{&rec.Bootstrap, rec.Self} {
		if b != nil && b.UID == uid {
			b.Kubeconfig, b.Context, known = given.Kubeconfig, given.Context, true
		}
	}
	return known
}
