// SPDX-License-Identifier: Apache-2.0

package flow

import (
	"context"
	"encoding/pem"
	"errors"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/rest"

	"github.com/clusterctl/clusterctl/pkg/kube"
)

// rootCA is the ConfigMap in which Kubernetes publishes a cluster's certificate authority, in every namespace.
const rootCA = "kube-root-ca.crt"

// sameAuthority says whether the server that c talks to has the certificate authority with which a workload cluster is reached: then it
// is that cluster, whatever its address. known is false where one of the two can't be told. Another authority is another cluster.
func sameAuthority(ctx context.Context, c *kube.Client, namespace string, workload *rest.Config) (same, known bool, err error) {
	published, err := publishedCA(ctx, c, namespace)
	if err != nil {
		return false, false, err
	}
	here := certificates(published)
	for cert := range certificates(caOf(c.Config())) {
		here[cert] = true
	}
	there := certificates(caOf(workload))
	for cert := range there {
		same = same || here[cert]
	}
	return same, len(here) > 0 && len(there) > 0, nil
}

// publishedCA is what the server's own cluster says of its authority, also to those who reach it by an address of another name.
func publishedCA(ctx context.Context, c *kube.Client, namespace string) ([]byte, error) {
	u, err := c.Get(ctx, schema.GroupVersionKind{Version: "v1", Kind: "ConfigMap"}, namespace, rootCA)
	if apierrors.IsNotFound(err) || errors.Is(err, kube.ErrForbidden) {
		return nil, nil
	} else if err != nil {
		return nil, err
	}
	text, _, _ := unstructured.NestedString(u.Object, "data", "ca.crt")
	return []byte(text), nil
}

// caOf is the authority that a connection trusts; nil: it names none that can be read.
func caOf(cfg *rest.Config) []byte {
	if err := rest.LoadTLSFiles(cfg); err != nil {
		return nil
	}
	return cfg.CAData
}

// certificates are those of a PEM text.
func certificates(text []byte) map[string]bool {
	out := map[string]bool{}
	for block, rest := pem.Decode(text); block != nil; block, rest = pem.Decode(rest) {
		if block.Type == "CERTIFICATE" {
			out[string(block.Bytes)] = true
		}
	}
	return out
}
