// SPDX-License-Identifier: Apache-2.0

// Package serving keeps the certificates that webhook servers show. They are made
// once and kept, so that preparing the same components twice gives the same objects.
package serving

import (
	"context"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"strings"

	"github.com/clusterctl/clusterctl/pkg/bootstrap/internal/lock"
	"github.com/clusterctl/clusterctl/pkg/bootstrap/local/internal/layout"
	"github.com/clusterctl/clusterctl/pkg/bootstrap/local/internal/ports"
	"github.com/clusterctl/clusterctl/pkg/pki"
)

// Certificate is the content of one Secret.
type Certificate struct {
	Namespace, Secret string
	pki.Pair
}

// Ensure gives the certificate of a Secret, for names and this host's loopback address.
func Ensure(ctx context.Context, d layout.Dir, ca *pki.CA, namespace, secret string, names []string) (pki.Pair, error) {
	held, err := lock.Acquire(ctx, d.PortsLock(), nil) // Key and certificate are two files.
	if err != nil {
		return pki.Pair{}, err
	}
	defer held.Release()
	if err := os.MkdirAll(d.Serving(), 0o700); err != nil {
		return pki.Pair{}, err
	}
	pair, _, err := ca.EnsureFiles(d.Serving(), namespace+"_"+secret, request(names))
	return pair, err
}

func request(names []string) pki.Request {
	cn := "webhook"
	if len(names) > 0 && len(names[0]) <= 64 { // The longest common name that X.509 allows.
		cn = names[0]
	}
	return pki.Request{CommonName: cn, Server: true, DNS: names, IPs: []net.IP{net.ParseIP(ports.Host)}}
}

// Renew makes anew what is about to expire and returns all: an earlier one may not have got as far as the Secrets.
func Renew(ctx context.Context, d layout.Dir, ca *pki.CA) ([]Certificate, error) {
	held, err := lock.Acquire(ctx, d.PortsLock(), nil)
	if err != nil {
		return nil, err
	}
	defer held.Release()
	entries, err := os.ReadDir(d.Serving())
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	var all []Certificate
	for _, e := range entries {
		name, ok := strings.CutSuffix(e.Name(), ".crt")
		namespace, secret, split := strings.Cut(name, "_")
		if !ok || !split {
			continue
		}
		names, err := namesIn(filepath.Join(d.Serving(), e.Name()))
		if err != nil {
			return nil, err
		}
		pair, _, err := ca.EnsureFiles(d.Serving(), name, request(names))
		if err != nil {
			return nil, err
		}
		all = append(all, Certificate{Namespace: namespace, Secret: secret, Pair: pair})
	}
	return all, nil
}

func namesIn(file string) ([]string, error) {
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	block, _ := pem.Decode(data)
	if block == nil {
		return nil, fmt.Errorf("read %s: no PEM data", file)
	}
	cert, err := x509.ParseCertificate(block.Bytes)
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", file, err)
	}
	return cert.DNSNames, nil
}
