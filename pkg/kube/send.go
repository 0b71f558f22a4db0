// SPDX-License-Identifier: Apache-2.0

package kube

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/rest"
)

// onlyMetadata asks the server to answer with an object's metadata instead of all of it.
const onlyMetadata = "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1,application/json"

// Stored is what the server says of an object that it has stored.
type Stored struct {
	UID               types.UID
	ResourceVersion   string
	CreationTimestamp metav1.Time
	Finalizers        []string
}

// Target names an object for a [Client.SendCreate], [Client.SendPatch] or [Client.SendStatus].
type Target struct {
	GVK             schema.GroupVersionKind
	Namespace, Name string
	// FieldManager is who owns what is written; default FieldManager.
	FieldManager string
	// DryRun has nothing stored.
	DryRun bool
}

// SendCreate is Create for many objects: the body goes out as it is, and only metadata comes back.
func (c *Client) SendCreate(ctx context.Context, t Target, body []byte) (Stored, error) {
	return c.send(ctx, t, "create", c.raw.Post(), false, "", "application/json", body)
}

// SendStatus is UpdateStatus for many objects: the body goes out as it is, and only metadata comes back.
func (c *Client) SendStatus(ctx context.Context, t Target, body []byte) (Stored, error) {
	return c.send(ctx, t, "update status of", c.raw.Put(), true, "status", "application/json", body)
}

// SendPatch is Patch for many objects: only metadata comes back.
func (c *Client) SendPatch(ctx context.Context, t Target, pt types.PatchType, body []byte) (Stored, error) {
	return c.send(ctx, t, "patch", c.raw.Patch(pt), true, "", string(pt), body)
}

// SendDelete deletes an object if the preconditions hold. Only an outline of it comes back, which is dropped.
func (c *Client) SendDelete(ctx context.Context, t Target, opts metav1.DeleteOptions) error {
	opts.Kind, opts.APIVersion = "DeleteOptions", "v1"
	body, err := json.Marshal(opts)
	if err != nil {
		return err
	}
	_, err = c.send(ctx, t, "delete", c.raw.Delete(), true, "", "application/json", body)
	return err
}

func (c *Client) send(ctx context.Context, t Target, verb string, r *rest.Request, named bool, sub, contentType string, body []byte) (Stored, error) {
	m := wellKnownMapping(t.GVK)
	if m == nil {
		var err error
		if m, err = c.Mapping(ctx, t.GVK.GroupKind(), t.GVK.Version); err != nil {
			return Stored{}, err
		}
	}
	r = r.AbsPath(pathOf(m, t.Namespace, named, t.Name, sub)...)
	if verb != "delete" {
		r = r.Param("fieldManager", orDefault(t.FieldManager, FieldManager))
	}
	if t.DryRun {
		r = r.Param("dryRun", metav1.DryRunAll)
	}
	if contentType == string(types.ApplyPatchType) {
		contentType = string(types.ApplyYAMLPatchType)
		r = r.Param("force", "true")
	}
	if contentType == string(types.ApplyYAMLPatchType) {
		body = yamlSafe(body)
	}
	result := r.SetHeader("Content-Type", contentType).SetHeader("Accept", onlyMetadata).Body(body).Do(ctx)
	if err := result.Error(); err != nil { // unlike Raw's it has what the server said
		return Stored{}, c.explainf(err, verb, t.GVK, t.Namespace, t.Name)
	}
	answer, err := result.Raw()
	if err != nil {
		return Stored{}, c.explainf(err, verb, t.GVK, t.Namespace, t.Name)
	}
	var made struct {
		Metadata Stored `json:"metadata"`
	}
	return made.Metadata, unmarshal(answer, &made)
}

// pathOf is the path of a resource, or of one object of it.
func pathOf(m *meta.RESTMapping, ns string, named bool, name, sub string) []string {
	path := []string{"apis", m.Resource.Group, m.Resource.Version}
	if m.Resource.Group == "" {
		path = []string{"api", m.Resource.Version}
	}
	if m.Scope.Name() == meta.RESTScopeNameNamespace && ns != "" {
		path = append(path, "namespaces", ns)
	}
	path = append(path, m.Resource.Resource)
	if named {
		path = append(path, name)
	}
	if sub != "" {
		path = append(path, sub)
	}
	return path
}

// As is the same connection for another user: whoever we are, impersonating somebody. It counts into the same requests.
func (c *Client) As(user string, groups ...string) (*Client, error) {
	out := &Client{given: rest.CopyConfig(c.given), config: rest.CopyConfig(c.config), sink: c.sink, counter: c.counter, warnings: c.warnings}
	out.config.Impersonate = rest.ImpersonationConfig{UserName: user, Groups: groups}
	out.given.Impersonate = out.config.Impersonate
	if err := out.connect(); err != nil {
		return nil, fmt.Errorf("prepare connection to %s as %s: %w", c.config.Host, user, err)
	}
	out.disco = c.disco
	return out, nil
}

// TryApply asks the server what a server-side apply of an object would store, admission included; nothing is stored. For an object
// that isn't there yet that is what creating it would store.
func (c *Client) TryApply(ctx context.Context, obj *unstructured.Unstructured) (*unstructured.Unstructured, error) {
	gvk := obj.GroupVersionKind()
	ri, err := c.resource(ctx, gvk, obj.GetNamespace())
	if err != nil {
		return nil, err
	}
	body, err := obj.MarshalJSON()
	if err != nil {
		return nil, err
	}
	force := true
	got, err := ri.Patch(ctx, obj.GetName(), types.ApplyPatchType, yamlSafe(body), metav1.PatchOptions{FieldManager: FieldManager, DryRun: dryRunAll, Force: &force})
	return got, c.explainf(err, "create (dry run)", gvk, obj.GetNamespace(), obj.GetName())
}

// yamlSafe escapes the few characters that JSON takes as they are and YAML takes for line breaks or a byte order mark: a server reads
// the body of an apply as YAML.
func yamlSafe(body []byte) []byte {
	for char, escaped := range map[string]string{"\u0085": `\u0085`, "\u2028": `\u2028`, "\u2029": `\u2029`, "\ufeff": `\ufeff`} {
		body = bytes.ReplaceAll(body, []byte(char), []byte(escaped))
	}
	return body
}
