// SPDX-License-Identifier: Apache-2.0

package supervisor

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/clusterctl/clusterctl/pkg/bootstrap/internal/pods"
	"github.com/clusterctl/clusterctl/pkg/bootstrap/local/internal/serving"
)

// renewServing makes webhook certificates that are about to expire anew and puts them where servers read them.
func (s *supervisor) renewServing(ctx context.Context, client *pods.Client) error {
	certificates, err := serving.Renew(ctx, s.dir, s.certs.ca)
	if err != nil {
		return err
	}
	for _, c := range certificates {
		secret, err := client.Secret(ctx, c.Namespace, c.Secret)
		if apierrors.IsNotFound(err) || err == nil && bytes.Equal(secret.Data["tls.crt"], c.Cert) {
			continue
		}
		if err != nil {
			return fmt.Errorf("read Secret %s/%s: %w", c.Namespace, c.Secret, err)
		}
		patch, err := json.Marshal(map[string]any{"data": map[string][]byte{"tls.crt": c.Cert, "tls.key": c.Key, "ca.crt": s.certs.ca.PEM}})
		if err != nil {
			return err
		}
		err = client.PatchSecret(ctx, c.Namespace, c.Secret, fieldManager, patch)
		if err != nil && !apierrors.IsNotFound(err) {
			return fmt.Errorf("update Secret %s/%s: %w", c.Namespace, c.Secret, err)
		}
	}
	return nil
}
