// SPDX-License-Identifier: Apache-2.0

package plan

import (
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/clusterctl/clusterctl/pkg/capi"
)

// reference is where an object names another one.
type reference struct {
	field string
	key   Key
}

// bareFields are fields that name an object of a fixed kind by no more than its name: either as text, or as a map with "name" and
// perhaps "namespace". A field counts in lower case, wherever it stands in the spec.
//
// Sources: kubeadm's contentFrom.secret and Machine's dataSecretName (Cluster API); identityRef with name and cloudName, cloudsSecret
// (CAPO); credentialsRef, secretRef, credentialsSecret (CAPV, CAPM3, IBM, Nutanix); clientSecret (CAPZ); bmc.credentialsName, userData,
// networkData, metaData (metal3); secretKeyRef and configMapKeyRef as in Kubernetes' own API.
func bareFields() map[string]string {
	return map[string]string{
		"secretref": "Secret", "secretname": "Secret", "secret": "Secret", "secretkeyref": "Secret", "datasecretname": "Secret", "credentialsref": "Secret",
		"credentialsecret": "Secret", "credentialssecret": "Secret", "credentialssecretref": "Secret", "credentialsname": "Secret", "credentialsecretref": "Secret",
		"cloudssecret": "Secret", "clientsecret": "Secret", "userdatasecret": "Secret", "userdata": "Secret", "networkdata": "Secret", "metadata": "Secret",
		"identityref": "Secret", "sshkeysecret": "Secret", "configmapref": "ConfigMap", "configmapkeyref": "ConfigMap", "configmapname": "ConfigMap",
	}
}

// refsOf are the references in an object's spec, cross-checked by nothing yet: a key may belong to no object.
func refsOf(u *unstructured.Unstructured, kinds Kinds) []reference {
	if u.GetKind() == "Secret" || u.GetKind() == "ConfigMap" {
		return nil
	}
	var out []reference
	for _, r := range capi.Refs(u) {
		out = append(out, reference{r.Field, keyFor(kinds, r.GroupKind(), r.Namespace, r.Name)})
	}
	w := refWalker{u: u, kinds: kinds, bare: bareFields(), out: out}
	if spec, ok := u.Object["spec"].(map[string]any); ok {
		w.walk("spec", "", spec)
	}
	return w.out
}

// keyFor leaves the namespace out where the kind has none.
func keyFor(kinds Kinds, gk schema.GroupKind, ns, name string) Key {
	if k, ok := kinds[gk]; ok && !k.Namespaced {
		ns = ""
	}
	return Key{gk, ns, name}
}

type refWalker struct {
	u     *unstructured.Unstructured
	kinds Kinds
	bare  map[string]string
	out   []reference
}

func (w *refWalker) walk(path, field string, v any) {
	switch node := v.(type) {
	case map[string]any:
		w.object(path, field, node)
		for k, child := range node {
			w.walk(path+"."+k, k, child)
		}
	case []any:
		for _, item := range node {
			w.walk(path, field, item)
		}
	case string:
		if kind := w.bare[strings.ToLower(field)]; kind != "" && strings.HasSuffix(strings.ToLower(field), "name") && node != "" {
			w.add(path, schema.GroupKind{Kind: kind}, "", node)
		}
	}
}

// object looks whether a map is a reference that [capi.Refs] doesn't know: one with a kind but without a group, or with nothing but
// a name in a field that says the rest.
func (w *refWalker) object(path, field string, m map[string]any) {
	name, _ := m["name"].(string)
	if name == "" {
		return
	}
	ns, _ := m["namespace"].(string)
	kind, _ := m["kind"].(string)
	if kind == "" {
		if bare := w.bare[strings.ToLower(field)]; bare != "" {
			w.add(path, schema.GroupKind{Kind: bare}, ns, name)
		}
		if strings.EqualFold(field, "claimRef") {
			w.add(path, schema.GroupKind{Group: capi.GroupIPAM, Kind: "IPAddressClaim"}, ns, name)
		}
		return
	}
	if m["apiVersion"] != nil && m["apiVersion"] != "" || m["apiGroup"] != nil && m["apiGroup"] != "" {
		if !strings.HasSuffix(field, "Ref") && field != "ref" { // whatever the field is called
			group, _ := m["apiGroup"].(string)
			if gv, err := schema.ParseGroupVersion(str(m["apiVersion"])); err == nil && group == "" {
				group = gv.Group
			}
			w.add(path, schema.GroupKind{Group: group, Kind: kind}, ns, name)
		}
		return
	}
	for _, k := range w.kinds.named(kind) {
		if k.GroupVersionKind.Kind == kind && (k.CAPI() || k.CRD == "") {
			w.add(path, k.GroupKind(), ns, name)
		}
	}
}

func (w *refWalker) add(path string, gk schema.GroupKind, ns, name string) {
	if ns == "" {
		ns = w.u.GetNamespace()
	}
	w.out = append(w.out, reference{path, keyFor(w.kinds, gk, ns, name)})
}

func str(v any) string {
	s, _ := v.(string)
	return s
}
