// SPDX-License-Identifier: Apache-2.0

package flow

import (
	"context"
	"fmt"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/clusterctl/clusterctl/pkg/event"
	"github.com/clusterctl/clusterctl/pkg/kube"
	"github.com/clusterctl/clusterctl/pkg/manifest"
	"github.com/clusterctl/clusterctl/pkg/provider"
)

// planLegacyComponents reads the one file with all providers that the first clusterctl took.
func (c *Create) planLegacyComponents(ctx context.Context, p *plan) error {
	srcs, err := manifest.ReadFiles(ctx, []string{c.record.Inputs.ProviderComponents}, manifest.ReadOptions{Stdin: c.host.Stdin})
	if err != nil {
		return err
	}
	if srcs, err = manifest.RenderAll(srcs, c.componentLookup(p)); err != nil {
		return err
	}
	p.legacyComponents, err = parseAll(srcs)
	return err
}

// installLegacyComponents applies them as they are and, other than the first clusterctl, waits until they serve.
func (c *Create) installLegacyComponents(ctx context.Context, client *kube.Client, p *plan) (string, error) {
	objs, err := c.boot.Prepare(manifest.Unwrap(p.legacyComponents))
	if err != nil {
		return "", fmt.Errorf("provider components: %w", err)
	}
	objs, said, err := provider.ResolveWebhookCerts(ctx, client, objs, c.record.Inputs.webhookCerts())
	if err != nil {
		return "", fmt.Errorf("provider components: %w", err)
	}
	if said != "" {
		event.Notef(c.host.Sink, "%s", said)
	}
	if err := note(ctx, client, objs, c.noting(client)); err != nil {
		return "", fmt.Errorf("provider components: %w", err)
	}
	res, err := client.Apply(ctx, objs, kube.ApplyOptions{Force: true, SkipUnchanged: true, Step: StepProviders})
	if err != nil {
		return "", fmt.Errorf("provider components: %w", err)
	}
	conds := append(client.Readiness(running(objs)), client.WebhooksAnswer(objs)...)
	if err := kube.Wait(ctx, c.host.Sink, StepProviders, 250*time.Millisecond, conds...); err != nil {
		return "", fmt.Errorf("provider components: %w", err)
	}
	return "provider components serve: " + res.Summary(), nil
}

// running picks the objects that run something and so have to become ready.
func running(objs []*unstructured.Unstructured) []*unstructured.Unstructured {
	var out []*unstructured.Unstructured
	for _, o := range objs {
		switch o.GetKind() {
		case "Deployment", "StatefulSet", "DaemonSet":
			out = append(out, o)
		}
	}
	return out
}
