// SPDX-License-Identifier: Apache-2.0

package provider

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/clusterctl/clusterctl/pkg/event"
	"github.com/clusterctl/clusterctl/pkg/fault"
	"github.com/clusterctl/clusterctl/pkg/kube"
	"github.com/clusterctl/clusterctl/pkg/manifest"
)

const (
	certManagerGroup      = "cert-manager.io"
	certManagerAnnotation = "cert-manager.clusterctl.cluster.x-k8s.io/version"
)

// planCertManager finds out what has to be installed so that the cluster serves the cert-manager kinds in objs.
// Where they are served already, cert-manager is somebody's and left alone.
func (i *installer) planCertManager(ctx context.Context, objs []*unstructured.Unstructured) ([]*unstructured.Unstructured, error) {
	missing, err := i.missingKinds(ctx, objs)
	if err != nil || len(missing) == 0 {
		return nil, err
	}
	need := kindNames(missing)
	if i.opts.Config == nil || i.opts.Config.CertManager.URL == "" {
		return nil, fault.WithHint(fault.Refusedf("the providers need cert-manager (%s), and the cluster doesn't serve it", need),
			"install cert-manager, or set cert-manager: url in clusterctl.yaml")
	}
	cm := i.opts.Config.CertManager
	if cm.External {
		return nil, fault.WithHint(fault.Refusedf("the providers need cert-manager (%s), the cluster doesn't serve it, and by %s it comes from somewhere else", need, cm.Source),
			"wait until cert-manager is installed, or take externallyProvisioned out")
	}
	components, err := i.opts.Config.certManagerObjects(ctx)
	if err != nil {
		return nil, fault.WithHint(fmt.Errorf("the providers need cert-manager (%s): %w", need, err),
			"install cert-manager, or set cert-manager: url in clusterctl.yaml to a file or a mirror")
	}
	if lacking := undefined(missing, components); len(lacking) > 0 {
		return nil, fault.WithHint(fault.Refusedf("the providers need cert-manager, and the one at %s doesn't define %s", shownString(cm.URL), kindNames(lacking)),
			"check cert-manager: url in clusterctl.yaml (%s)", cm.Source)
	}
	return components, nil
}

// missingKinds lists the cert-manager kinds in objs that the cluster doesn't serve.
func (i *installer) missingKinds(ctx context.Context, objs []*unstructured.Unstructured) ([]schema.GroupKind, error) {
	var missing []schema.GroupKind
	for _, o := range objs {
		gvk := o.GroupVersionKind()
		if !isForCertManager(o) || slices.Contains(missing, gvk.GroupKind()) {
			continue
		}
		served, err := i.kube.Served(ctx, gvk.GroupKind())
		if err != nil {
			return nil, err
		}
		if !slices.Contains(served, gvk.Version) {
			missing = append(missing, gvk.GroupKind())
		}
	}
	return missing, nil
}

// isForCertManager says whether an object is of a kind of cert-manager.
func isForCertManager(o *unstructured.Unstructured) bool {
	group := o.GroupVersionKind().Group
	return group == certManagerGroup || strings.HasSuffix(group, "."+certManagerGroup)
}

// undefined lists the kinds that no CRD in objs defines.
func undefined(kinds []schema.GroupKind, objs []*unstructured.Unstructured) []schema.GroupKind {
	return slices.DeleteFunc(slices.Clone(kinds), func(k schema.GroupKind) bool {
		return slices.ContainsFunc(objs, func(o *unstructured.Unstructured) bool {
			group, _, _ := unstructured.NestedString(o.Object, "spec", "group")
			kind, _, _ := unstructured.NestedString(o.Object, "spec", "names", "kind")
			return isCRD(o) && group == k.Group && kind == k.Kind
		})
	})
}

func kindNames(kinds []schema.GroupKind) string {
	out := make([]string, len(kinds))
	for i, k := range kinds {
		out[i] = k.Kind
	}
	return strings.Join(out, ", ")
}

// certManagerObjects reads cert-manager's manifest and marks its objects the way upstream's clusterctl does, which
// recognizes and upgrades them by that.
func (c *Config) certManagerObjects(ctx context.Context) ([]*unstructured.Unstructured, error) {
	src, ver, err := c.certManagerSource(ctx)
	if err != nil {
		return nil, err
	}
	parsed, err := manifest.Parse(src)
	if err != nil {
		return nil, err
	}
	if err := manifest.Check(parsed); err != nil {
		return nil, err
	}
	objs := manifest.Unwrap(parsed)
	if err := manifest.MapImages(objs, func(image string) (string, error) { return c.MapImage(keyCertManager, image) }); err != nil {
		return nil, fmt.Errorf("%s: %w", src.Name, err)
	}
	for _, o := range objs {
		label(o, map[string]string{ClusterctlLabel: "", coreLabel: keyCertManager})
		annotations := o.GetAnnotations()
		if annotations == nil {
			annotations = map[string]string{}
		}
		if ver != "" {
			annotations[certManagerAnnotation] = ver
		}
		o.SetAnnotations(annotations)
		dropInjectedCA(o)
		if err := tolerateControlPlane(o); err != nil {
			return nil, fmt.Errorf("%s: %w", src.Name, err)
		}
	}
	return objs, nil
}

// tolerateControlPlane lets cert-manager's pods run where the providers' do: on control plane nodes too. Its own manifest doesn't, and a
// cluster that gets its workers by the providers would wait for it for ever.
func tolerateControlPlane(o *unstructured.Unstructured) error {
	pod := manifest.PodSpec(o)
	if pod == nil {
		return nil
	}
	const key = "node-role.kubernetes.io/control-plane"
	tolerations, _, err := unstructured.NestedSlice(pod, "tolerations")
	if err != nil {
		return fmt.Errorf("%s: %w", kube.RefOf(o), err)
	}
	if slices.ContainsFunc(tolerations, func(t any) bool {
		m, _ := t.(map[string]any)
		return m["key"] == key || m["key"] == nil && m["operator"] == "Exists"
	}) {
		return nil
	}
	pod["tolerations"] = append(tolerations, map[string]any{"key": key, "operator": "Exists", "effect": "NoSchedule"})
	return nil
}

// certManagerSource fetches the manifest; of a server, in the configured version.
func (c *Config) certManagerSource(ctx context.Context) (manifest.Source, string, error) {
	cm := c.CertManager
	if !isRemote(cm.URL) {
		data, err := os.ReadFile(cm.URL)
		if err != nil {
			return manifest.Source{}, "", fault.Usagef("read cert-manager's manifest (%s): %w", cm.Source, err)
		}
		ver := cm.Version
		if folder := filepath.Base(filepath.Dir(cm.URL)); ver == "" && isVersion(folder) {
			ver = folder
		}
		return manifest.Source{Name: cm.URL, Data: data}, ver, nil
	}
	repo, err := c.newRepository(Entry{Name: keyCertManager, URL: cm.URL, Source: cm.Source})
	if err != nil {
		return manifest.Source{}, "", fault.Usagef("cert-manager (%s): url: %w", cm.Source, err)
	}
	ver := cm.Version
	if ver == "" {
		ver = repo.DefaultVersion()
	}
	if ver == Latest {
		if ver, err = repo.Latest(ctx); err != nil {
			return manifest.Source{}, "", err
		}
	}
	src, err := repo.File(ctx, ver, repo.ComponentsFile())
	return src, ver, err
}

// installCertManager installs what planCertManager found. The definitions go in last, so that the API is served only
// when everything else is there: an interrupted installation is never taken for a finished one.
func (i *installer) installCertManager(ctx context.Context) error {
	if len(i.plan.certManager) == 0 {
		return i.awaitCertManager(ctx)
	}
	cm := i.opts.Config.CertManager
	ctx, cancel := context.WithTimeout(ctx, cm.Timeout)
	defer cancel()
	event.Progressf(i.opts.Sink, i.opts.Step, "installing cert-manager %s, which the providers need", cm.Version)
	crds, others := []*unstructured.Unstructured{}, []*unstructured.Unstructured{}
	for _, o := range i.plan.certManager {
		if isCRD(o) {
			crds = append(crds, o)
		} else {
			others = append(others, o)
		}
	}
	for _, objs := range [][]*unstructured.Unstructured{others, crds} {
		if err := i.apply(ctx, objs); err != nil {
			return fmt.Errorf("install cert-manager: %w", err)
		}
	}
	served, _ := servedWebhooks(i.plan.certManager)
	conds := append(i.kube.Readiness(crds), readiness(i.kube, others)...)
	conds = append(conds, i.kube.WebhooksAnswer(served)...)
	if err := kube.Wait(ctx, i.opts.Sink, i.opts.Step, i.opts.Interval, conds...); err != nil {
		return fault.WithHint(fmt.Errorf("wait for cert-manager: %w", err), "cert-manager: timeout in clusterctl.yaml sets how long (now %s)", cm.Timeout)
	}
	event.Notef(i.opts.Sink, "cert-manager %s installed", cm.Version)
	return nil
}

// awaitCertManager waits for one that is there already, if a clusterctl installed it: that run may have ended before it worked, and its
// pods say why better than its webhook does. One of somebody else isn't looked into.
func (i *installer) awaitCertManager(ctx context.Context) error {
	if !i.plan.usesCertManager {
		return nil
	}
	timeout := certManagerWait
	if i.opts.Config != nil {
		timeout = i.opts.Config.CertManager.Timeout
	}
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	var there []*unstructured.Unstructured
	for _, gk := range []schema.GroupKind{
		{Group: "apps", Kind: "Deployment"},
		{Group: "admissionregistration.k8s.io", Kind: "MutatingWebhookConfiguration"},
		{Group: "admissionregistration.k8s.io", Kind: "ValidatingWebhookConfiguration"},
	} {
		list, err := i.kube.List(ctx, gk.WithVersion("v1"), kube.ListOptions{LabelSelector: coreLabel + "=" + keyCertManager})
		if err != nil {
			return fmt.Errorf("look for cert-manager: %w", err)
		}
		there = append(there, list...)
	}
	conds := append(readiness(i.kube, there), i.kube.WebhooksAnswer(there)...)
	if len(conds) == 0 {
		return nil
	}
	if err := kube.Wait(ctx, i.opts.Sink, i.opts.Step, i.opts.Interval, conds...); err != nil {
		return fault.WithHint(fmt.Errorf("wait for cert-manager: %w", err), "cert-manager: timeout in clusterctl.yaml sets how long (now %s)", timeout)
	}
	return nil
}
