// SPDX-License-Identifier: Apache-2.0

package local

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/clusterctl/clusterctl/pkg/bootstrap/local/internal/ports"
	"github.com/clusterctl/clusterctl/pkg/bootstrap/local/internal/rewrite"
	"github.com/clusterctl/clusterctl/pkg/bootstrap/local/internal/serving"
	"github.com/clusterctl/clusterctl/pkg/pki"
)

// prepareTimeout bounds the wait for others who choose ports at the same time.
const prepareTimeout = 30 * time.Second

// Prepare rewrites provider components: webhooks are called by URL on ports of this host, with certificates
// of this bootstrap's authority, and what is for cert-manager is left out or, for certificates, replaced by the
// Secret that cert-manager would have made. Preparing the same components again gives the same objects.
// It needs what the first Ensure makes.
func (c *Cluster) Prepare(objs []*unstructured.Unstructured) ([]*unstructured.Unstructured, error) {
	if _, err := os.Stat(filepath.Join(c.dir.PKI(), "ca.crt")); errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("prepare components for local bootstrap cluster %q: it hasn't been started yet", c.Name())
	}
	ctx, cancel := context.WithTimeout(context.Background(), prepareTimeout)
	defer cancel()
	ca, err := pki.LoadCA(c.dir.PKI(), "ca")
	if err != nil {
		return nil, err
	}
	out, err := rewrite.Components(objs, rewrite.Host{
		CABundle: ca.PEM,
		Port: func(namespace, deployment, port string) (int, error) {
			return ports.Promise(ctx, c.dir, ports.Pod(namespace, deployment, port))
		},
		Serve: func(namespace, secret string, names []string) ([]byte, []byte, error) {
			pair, err := serving.Ensure(ctx, c.dir, ca, namespace, secret, names)
			return pair.Cert, pair.Key, err
		},
	})
	if err != nil {
		return nil, fmt.Errorf("prepare components for local bootstrap cluster %q: %w", c.Name(), err)
	}
	return out, nil
}
