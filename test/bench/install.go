// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"fmt"
	"time"
)

// limitRequests is how many requests an object may take, without the waits.
const limitRequests = 2

// installResult is what two installations in a row asked of the API server.
type installResult struct{ first, second requests }

// requests are what one installation asked, as the audit log has it.
type requests struct {
	// objects is how many objects were written; writes how many writes were stored.
	objects, writes int
	// total are all requests; reads, applies and discovery those before the last write, served the questions
	// whether new kinds are served yet, and waits all after the last write.
	total, reads, applies, discovery, served, waits int
}

// perObject is without the waits.
func (r requests) perObject() float64 {
	return float64(r.reads+r.applies+r.discovery) / float64(r.objects)
}

// install installs providers twice into a bootstrap cluster whose API server notes all requests.
func (b *bench) install(ctx context.Context, r *report) error {
	if err := b.warm(ctx); err != nil {
		return err
	}
	assets, log, err := b.audited()
	if err != nil {
		return err
	}
	env := b.env(assets)
	defer b.abandon(ctx, env, lab)
	if _, _, err := measure(ctx, b.dir, env, b.ours, "create", "bootstrap", lab, "--progress", "none"); err != nil {
		return err
	}
	kubeconfig, err := b.kubeconfig(ctx, env)
	if err != nil {
		return err
	}
	res := &installResult{}
	for _, into := range []*requests{&res.first, &res.second} {
		from := time.Now()
		if _, err := b.init(ctx, env, kubeconfig); err != nil {
			return err
		}
		list, err := readAudit(log, from, time.Now())
		if err != nil {
			return err
		}
		if len(list) == 0 {
			return fmt.Errorf("no request of clusterctl is in the audit log")
		}
		*into = count(list)
	}
	r.install = res
	return nil
}

func count(list []request) requests {
	r := requests{total: len(list)}
	objects, last := map[string]bool{}, -1
	for i, q := range list {
		if q.write() {
			last = i
			if q.code < 300 {
				objects[q.object] = true
				r.writes++
			}
		}
	}
	r.objects = len(objects)
	for i, q := range list {
		switch {
		case q.discovery():
			r.served++
		case last >= 0 && i > last:
			r.waits++
		case q.write():
			r.applies++
		case q.resource == "":
			r.discovery++
		default:
			r.reads++
		}
	}
	return r
}
