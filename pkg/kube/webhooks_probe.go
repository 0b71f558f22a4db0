// SPDX-License-Identifier: Apache-2.0

package kube

import (
	"context"
	"errors"
	"regexp"
	"slices"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
)

// probeName is the name of the objects that are never stored.
const probeName = "clusterctl-probe"

// probe makes one request that goes through a webhook. The verdict is unknown where none can be made.
func (p *prover) probe(ctx context.Context, h hook) (verdict, string, error) {
	if h.sort == gkCRD {
		return p.probeConversion(ctx, h)
	}
	ns, ok, err := p.probeNamespace(ctx, h)
	if err != nil || !ok {
		return either2(ok, unknown, answers), "", err // a webhook that fits no namespace is never called
	}
	for _, r := range h.rules {
		gvk, namespaced, ok, err := p.kindOf(ctx, r)
		if err != nil {
			return unknown, "", err
		} else if !ok {
			continue
		}
		if !namespaced {
			ns = ""
		}
		err = p.request(ctx, h, r, gvk, ns)
		if errors.Is(err, errNoProbe) {
			continue
		}
		if v, reason, err := h.judge(err); err != nil || v != unknown {
			return v, reason, err
		}
	}
	return unknown, "", nil
}

var errNoProbe = errors.New("no request to be made")

// request sends the dry run that fits a rule.
func (p *prover) request(ctx context.Context, h hook, r rule, gvk schema.GroupVersionKind, ns string) error {
	switch {
	case r.has(r.operations, "CREATE"):
		u, err := p.minimal(ctx, gvk, ns)
		if err != nil {
			return err
		}
		u.SetLabels(labelsFor(h.object))
		_, err = p.CreateDryRun(ctx, u)
		return err
	case r.has(r.operations, "UPDATE"):
		return p.patchNothing(ctx, h, gvk)
	}
	return errNoProbe
}

// patchNothing changes nothing of an object that is there already.
func (p *prover) patchNothing(ctx context.Context, h hook, gvk schema.GroupVersionKind) error {
	m, err := p.Mapping(ctx, gvk.GroupKind(), gvk.Version)
	if err != nil {
		return err
	}
	opts := metav1.ListOptions{Limit: 1}
	if sel, ok := selector(h.object); ok {
		opts.LabelSelector = sel.String()
	}
	list, err := p.endpoint(m, "").List(ctx, opts)
	if err != nil {
		return p.explain(err)
	}
	if len(list.Items) == 0 {
		return errNoProbe
	}
	u := list.Items[0]
	_, err = p.endpoint(m, u.GetNamespace()).Patch(ctx, u.GetName(), types.MergePatchType, []byte("{}"),
		metav1.PatchOptions{FieldManager: FieldManager, DryRun: dryRunAll})
	return p.explain(err)
}

// probeConversion has an object converted.
func (p *prover) probeConversion(ctx context.Context, h hook) (verdict, string, error) {
	i := slices.IndexFunc(h.crd.versions, func(v string) bool { return v != h.crd.storage })
	if i < 0 {
		return unknown, "", nil
	}
	gvk := h.crd.groupKind().WithVersion(h.crd.versions[i])
	m, err := p.Mapping(ctx, gvk.GroupKind(), gvk.Version)
	if err != nil {
		return unknown, "", err
	}
	list, err := p.endpoint(m, "").List(ctx, metav1.ListOptions{Limit: 1})
	if v, reason, err := h.judge(p.explain(err)); err != nil || v == silent || v == answers && len(list.Items) > 0 {
		return v, reason, err
	}
	ns := either(h.crd.namespaced, metav1.NamespaceDefault, "")
	u, err := p.minimal(ctx, gvk, ns)
	if err != nil {
		return unknown, "", err
	}
	_, err = p.CreateDryRun(ctx, u)
	return h.judge(err)
}

var (
	failedCall = regexp.MustCompile(`failed calling webhook "([^"]*)"`)
	denied     = regexp.MustCompile(`admission webhook "([^"]*)" denied`)
	converting = regexp.MustCompile(`conversion webhook for .* (failed|returned)`)
)

// judge reads an answer of the API server: does it prove that the webhook was called and answered?
func (h hook) judge(err error) (verdict, string, error) {
	if err == nil {
		return answers, "", nil
	}
	text := err.Error()
	switch {
	case failedCall.MatchString(text):
		return silent, text[failedCall.FindStringIndex(text)[0]:], nil
	case converting.MatchString(text):
		return silent, text[converting.FindStringIndex(text)[0]:], nil
	case Classify(err) == ClassRetry:
		return unknown, "", err
	case h.sort == gkCRD:
		return unknown, "", nil
	}
	if m := denied.FindStringSubmatch(text); m != nil {
		return either2(slices.Contains(h.siblings, m[1]), answers, unknown), "", nil
	}
	// Invalid comes after all mutating webhooks and before the validating ones, AlreadyExists after both.
	passed := apierrors.IsAlreadyExists(err) || h.sort == gkMutating && apierrors.IsInvalid(err)
	return either2(passed, answers, unknown), "", nil
}

func either2(cond bool, yes, no verdict) verdict {
	if cond {
		return yes
	}
	return no
}

// has says whether a list of a rule holds a value, or the asterisk that stands for all.
func (rule) has(list []string, v string) bool {
	return slices.Contains(list, v) || slices.Contains(list, "*")
}

// kindOf picks a kind that a rule is about; ConfigMap for rules about everything. ok is false where none is served.
func (p *prover) kindOf(ctx context.Context, r rule) (gvk schema.GroupVersionKind, namespaced, ok bool, err error) {
	snap, err := p.disco.get(ctx)
	if err != nil {
		return gvk, false, false, p.explain(err)
	}
	configMap := schema.GroupVersionKind{Version: "v1", Kind: "ConfigMap"}
	for _, res := range r.resources {
		if res == "*" || res == "*/*" {
			if r.has(r.groups, "") {
				return configMap, true, true, nil
			}
		}
		for _, g := range r.groups {
			versions := r.versions
			if slices.Contains(versions, "*") {
				versions = snap.versions[g]
			}
			for _, v := range versions {
				if gvk, namespaced, ok := snap.kindFor(schema.GroupVersionResource{Group: g, Version: v, Resource: res}); ok {
					return gvk, namespaced, true, nil
				}
			}
		}
	}
	return gvk, false, false, nil
}

func (s *snapshot) kindFor(gvr schema.GroupVersionResource) (gvk schema.GroupVersionKind, namespaced, ok bool) {
	for kind, r := range s.resources[gvr.GroupVersion()] {
		if r.Name == gvr.Resource {
			return gvr.GroupVersion().WithKind(kind), r.Namespaced, true
		}
	}
	return gvk, false, false
}

// probeNamespace finds a namespace that a webhook is about: default if it fits, else the first that does.
func (p *prover) probeNamespace(ctx context.Context, h hook) (ns string, ok bool, err error) {
	sel, ok := selector(h.namespace)
	if !ok || sel.Matches(labels.Set{"kubernetes.io/metadata.name": metav1.NamespaceDefault}) {
		return metav1.NamespaceDefault, true, nil
	}
	list, err := p.List(ctx, gkNamespace.WithVersion("v1"), ListOptions{LabelSelector: sel.String(), MetadataOnly: true})
	if err != nil || len(list) == 0 {
		return "", false, err
	}
	return list[0].GetName(), true, nil
}

// selector reads a selector; ok is false where there is none, or one that fits everything.
func selector(m map[string]any) (labels.Selector, bool) {
	var ls metav1.LabelSelector
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(m, &ls); err != nil {
		return nil, false
	}
	sel, err := metav1.LabelSelectorAsSelector(&ls)
	if err != nil || len(m) == 0 || sel.Empty() {
		return nil, false
	}
	return sel, true
}

// labelsFor makes labels that a selector picks, where that is possible.
func labelsFor(m map[string]any) map[string]string {
	out := map[string]string{}
	want, _, _ := unstructured.NestedStringMap(m, "matchLabels")
	for k, v := range want {
		out[k] = v
	}
	exprs, _, _ := unstructured.NestedSlice(m, "matchExpressions")
	for _, item := range exprs {
		e, _ := item.(map[string]any)
		values, _, _ := unstructured.NestedStringSlice(e, "values")
		switch op := str(e["operator"]); {
		case op == "In" && len(values) > 0:
			out[str(e["key"])] = values[0]
		case op == "Exists":
			out[str(e["key"])] = "probe"
		}
	}
	return out
}
