// SPDX-License-Identifier: Apache-2.0

package kubeconfig

import (
	"fmt"

	"go.yaml.in/yaml/v3"

	"github.com/clusterctl/clusterctl/pkg/fault"
)

// RewriteOptions say what to change; the zero value changes nothing.
type RewriteOptions struct {
	// ContextName is the new name of the current context, and of its cluster and user, so
	// that several kubeconfigs fit into one file. A number is added where another entry has the name.
	ContextName string
	// Server is the new address: HOST, HOST:PORT or an https URL. Without a port the old
	// port stays, without a scheme the old path.
	Server string
	// CertCoversServer says that the certificate at the new address is known to be good for
	// its host, see [Kubeconfig.CertCovers]. Otherwise the old host goes into
	// tls-server-name, so that the connection is checked exactly as before.
	CertCoversServer bool
}

// Rewrite returns a changed copy. Errors are of class Usage: a name or address that can't be used.
// Trust is never loosened: the CA stays and insecure-skip-tls-verify is never added.
func (k *Kubeconfig) Rewrite(opts RewriteOptions) (*Kubeconfig, error) {
	if opts.ContextName == "" && opts.Server == "" {
		return k, nil
	}
	doc, err := parseDocument(k.Raw)
	if err != nil {
		return nil, &MalformedError{Problem: NotKubeconfig, Detail: err.Error(), Namespace: k.Namespace, Secret: k.Secret}
	}
	if opts.Server != "" {
		if err := k.moveServer(doc, opts); err != nil {
			return nil, err
		}
	}
	if opts.ContextName != "" {
		if err := k.rename(doc, opts.ContextName); err != nil {
			return nil, err
		}
	}
	text, err := doc.bytes()
	if err != nil {
		return nil, err
	}
	next, err := Parse(text)
	if err != nil {
		return nil, fmt.Errorf("rewrite kubeconfig: %w", err)
	}
	next.Namespace, next.Secret = k.Namespace, k.Secret
	return next, nil
}

func (k *Kubeconfig) moveServer(doc *document, opts RewriteOptions) error {
	next, err := newAddress(k.Server(), opts.Server)
	if err != nil {
		return err
	}
	entry := doc.entry(section{"clusters", "cluster"}, k.context().Cluster)
	cluster := field(entry, "cluster")
	if cluster == nil || cluster.Kind != yaml.MappingNode {
		return &MalformedError{Problem: NotKubeconfig, Detail: "the cluster entry can't be edited where it stands", Namespace: k.Namespace, Secret: k.Secret}
	}
	oldHost := hostOf(k.Server())
	setField(cluster, "server", next.String(), doc.form.json)
	keep := k.cluster().TLSServerName != "" || k.cluster().InsecureSkipTLSVerify
	if !keep && !opts.CertCoversServer && next.Hostname() != oldHost {
		setField(cluster, "tls-server-name", oldHost, doc.form.json)
	}
	return nil
}

// rename gives the current context, its cluster and its user a new name, and follows
// the references of other contexts to them.
func (k *Kubeconfig) rename(doc *document, name string) error {
	contexts := section{"contexts", "context"}
	if name != k.Context() && doc.entry(contexts, name) != nil {
		return fault.Usagef("rename context to %q: the kubeconfig has another context of that name", name)
	}
	refer := func(s section, old string) {
		if old == "" {
			return
		}
		next := freeName(doc, s, old, name)
		setField(doc.entry(s, old), "name", next, doc.form.json)
		for _, c := range doc.entries(contexts) {
			if body := field(c, "context"); referenced(body, s.item) == old {
				setField(body, s.item, next, doc.form.json)
			}
		}
	}
	refer(section{"clusters", "cluster"}, k.context().Cluster)
	refer(section{"users", "user"}, k.context().AuthInfo)
	setField(doc.entry(contexts, k.Context()), "name", name, doc.form.json)
	doc.set("current-context", name)
	return nil
}

// freeName is name, or name-2, name-3, … if other entries have it.
func freeName(doc *document, s section, old, name string) string {
	free := name
	for n := 2; free != old && doc.entry(s, free) != nil; n++ {
		free = fmt.Sprintf("%s-%d", name, n)
	}
	return free
}

func referenced(context *yaml.Node, key string) string {
	if v := field(context, key); v != nil {
		return v.Value
	}
	return ""
}
