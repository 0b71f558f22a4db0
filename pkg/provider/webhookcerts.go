// SPDX-License-Identifier: Apache-2.0

package provider

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/clusterctl/clusterctl/pkg/fault"
	"github.com/clusterctl/clusterctl/pkg/kube"
	"github.com/clusterctl/clusterctl/pkg/manifest"
	"github.com/clusterctl/clusterctl/pkg/provider/webhookcert"
)

// WebhookCerts says where the certificates of providers' webhooks come from.
type WebhookCerts string

// The sources of webhook certificates.
const (
	// AutoCerts means cert-manager if it is installed and serves, else our own if they will do, else cert-manager.
	AutoCerts WebhookCerts = "auto"
	// CertManagerCerts means cert-manager, which is installed if it isn't there.
	CertManagerCerts WebhookCerts = "cert-manager"
	// BuiltinCerts means certificates that we make; nothing renews them but the next run.
	BuiltinCerts WebhookCerts = "builtin"
)

// certManagerPatience is how long a cert-manager that is installed may take to answer.
const certManagerPatience = 10 * time.Second

// ResolveWebhookCerts decides where the webhook certificates of objs come from, and gives the objects for it: as they are for
// cert-manager and "", with certificates of our own in place of cert-manager's kinds for builtin. said is the choice with its reason, empty
// if there was none to make. It writes nothing.
func ResolveWebhookCerts(ctx context.Context, c *kube.Client, objs []*unstructured.Unstructured, source WebhookCerts) (out []*unstructured.Unstructured, said string, err error) {
	if source == "" || source == CertManagerCerts || !webhookcert.Used(objs) {
		return objs, "", nil
	}
	others := webhookcert.Others(objs)
	if source == AutoCerts {
		if source, said, err = chooseCerts(ctx, c, objs, others); err != nil || source == CertManagerCerts {
			return objs, said, err
		}
	}
	if source != BuiltinCerts {
		return nil, "", fault.Usagef("unknown source of webhook certificates %q: use auto, cert-manager or builtin", source)
	}
	if len(others) > 0 {
		return nil, "", needsCertManager("certificates of our own can't take cert-manager's place", others)
	}
	stored, err := storedSecrets(ctx, c, objs)
	if err != nil {
		return nil, "", err
	}
	out, err = webhookcert.Issue(objs, stored, time.Now())
	return out, said, err
}

// OwnCerts says whether ResolveWebhookCerts comes to certificates of our own without asking a cert-manager: because they are wanted, or
// because there is none and none is needed. So it is, too, where no webhook needs any.
func OwnCerts(ctx context.Context, c *kube.Client, comps []*Components, source WebhookCerts) (bool, error) {
	var objs []*unstructured.Unstructured
	for _, comp := range comps {
		objs = append(objs, manifest.Unwrap(comp.Objects)...)
	}
	if !webhookcert.Used(objs) || source == BuiltinCerts {
		return true, nil
	}
	if source != AutoCerts || len(webhookcert.Others(objs)) > 0 {
		return false, nil
	}
	defined, err := certManagerDefined(ctx, c)
	return !defined, err
}

// What certManagerServes says where nothing could answer.
const (
	notInstalled = "cert-manager isn't installed"
	onlyDefined  = "of cert-manager only the definitions are there"
)

// chooseCerts is what auto means.
func chooseCerts(ctx context.Context, c *kube.Client, objs []*unstructured.Unstructured, others []string) (WebhookCerts, string, error) {
	owner, err := earlierCerts(ctx, c, objs)
	if err != nil {
		return "", "", err
	}
	if owner == BuiltinCerts && len(others) == 0 {
		return owner, "webhook certificates: our own, as an earlier run made them", nil
	}
	why, err := certManagerServes(ctx, c)
	switch {
	case err != nil:
		return "", "", err
	case why == "":
		return CertManagerCerts, "webhook certificates: by cert-manager, which is installed and answers", nil
	case owner == CertManagerCerts:
		return "", "", fault.WithHint(fault.Refusedf("the providers' webhook certificates are cert-manager's, and %s", why),
			"see what is wrong with it (kubectl get pods -n cert-manager), or replace them: --webhook-certs builtin")
	case len(others) == 0:
		return BuiltinCerts, "webhook certificates: our own, because " + why, nil
	case why == notInstalled: // it will be, where the configuration says from where
		return CertManagerCerts, "webhook certificates: by cert-manager, because the providers use it for more: " + strings.Join(others, "; "), nil
	case why == onlyDefined: // somebody else's, without a webhook to ask: the providers' own readiness will tell
		return CertManagerCerts, "webhook certificates: left to cert-manager, though " + why + ", because the providers use it for more: " + strings.Join(others, "; "), nil
	}
	return "", "", needsCertManager(why, others)
}

func needsCertManager(why string, others []string) error {
	return fault.WithHint(fault.Refusedf("the providers need cert-manager, and %s: %s", why, strings.Join(others, "; ")),
		"install cert-manager, mend it (kubectl get pods -n cert-manager), or have it installed: --webhook-certs cert-manager")
}

// earlierCerts says what an earlier installation of the same objects used; "" if there was none.
func earlierCerts(ctx context.Context, c *kube.Client, objs []*unstructured.Unstructured) (WebhookCerts, error) {
	stored, err := storedSecrets(ctx, c, objs)
	if err != nil {
		return "", err
	}
	var found WebhookCerts
	for _, s := range stored {
		if s.GetAnnotations()[webhookcert.Annotation] != "" {
			return BuiltinCerts, nil
		}
		if s.GetAnnotations()[webhookcert.Group+"/certificate-name"] != "" {
			found = CertManagerCerts
		}
	}
	return found, nil
}

// storedSecrets reads the Secrets that the Certificates in objs name.
func storedSecrets(ctx context.Context, c *kube.Client, objs []*unstructured.Unstructured) (map[webhookcert.Key]*unstructured.Unstructured, error) {
	stored := map[webhookcert.Key]*unstructured.Unstructured{}
	for _, cert := range webhookcert.Certificates(objs) {
		if cert.Secret.Name == "" {
			continue
		}
		s, err := c.Get(ctx, schema.GroupVersionKind{Version: "v1", Kind: "Secret"}, cert.Secret.Namespace, cert.Secret.Name)
		switch {
		case apierrors.IsNotFound(err):
		case err != nil:
			return nil, fmt.Errorf("look for webhook certificates: %w", err)
		default:
			stored[cert.Secret] = s
		}
	}
	return stored, nil
}

// certManagerDefined says whether the kinds that providers use of cert-manager are served.
func certManagerDefined(ctx context.Context, c *kube.Client) (bool, error) {
	for _, kind := range []string{"Issuer", "Certificate"} {
		versions, err := c.Served(ctx, schema.GroupKind{Group: certManagerGroup, Kind: kind})
		if err != nil || !slices.Contains(versions, "v1") {
			return false, err
		}
	}
	return true, nil
}

// certManagerServes says why cert-manager can't be used; "" means that its kinds are served, and its webhook answers a dry run.
func certManagerServes(ctx context.Context, c *kube.Client) (string, error) {
	if defined, err := certManagerDefined(ctx, c); err != nil || !defined {
		return notInstalled, err
	}
	gvk := schema.GroupVersionKind{Group: "admissionregistration.k8s.io", Version: "v1", Kind: "ValidatingWebhookConfiguration"}
	configs, err := c.List(ctx, gvk, kube.ListOptions{})
	if err != nil {
		return "", err
	}
	if !slices.ContainsFunc(configs, func(o *unstructured.Unstructured) bool { return checks(o, certManagerGroup, "issuers") }) {
		return onlyDefined, nil
	}
	limited, cancel := context.WithTimeout(ctx, certManagerPatience)
	defer cancel()
	for {
		_, err := c.CreateDryRun(limited, probeIssuer())
		if err == nil {
			return "", nil
		}
		select {
		case <-limited.Done():
			if ctx.Err() != nil {
				return "", context.Cause(ctx)
			}
			return fmt.Sprintf("cert-manager doesn't answer: %v", err), nil
		case <-time.After(time.Second):
		}
	}
}

// probeIssuer is never stored.
func probeIssuer() *unstructured.Unstructured {
	return &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": certManagerGroup + "/v1", "kind": "Issuer",
		"metadata": map[string]any{"generateName": "clusterctl-probe-", "namespace": "default"},
		"spec":     map[string]any{"selfSigned": map[string]any{}},
	}}
}
