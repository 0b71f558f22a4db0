// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/base64"
	"encoding/pem"
	"errors"
	"fmt"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"time"
)

// writePKI writes one authority, a server's and the administrator's certificate, the certificate of the webhooks, and the
// administrator's kubeconfig. It returns the authority's certificate.
func writePKI(dir, server string) ([]byte, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, err
	}
	root := template("byhand-ca")
	root.IsCA, root.BasicConstraintsValid, root.KeyUsage = true, true, x509.KeyUsageCertSign|x509.KeyUsageDigitalSignature
	ca, caKey, err := sign(root, root, key, key)
	if err != nil {
		return nil, err
	}
	host := template("localhost")
	host.IPAddresses = []net.IP{net.IPv4(127, 0, 0, 1)}
	host.ExtKeyUsage = []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth}
	admin := template("kubernetes-admin")
	admin.Subject.Organization = []string{"system:masters"}
	admin.ExtKeyUsage = []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth}

	files := map[string][]byte{"ca.crt": ca, "ca.key": caKey}
	for name, cert := range map[string]*x509.Certificate{"server": host, "admin": admin, "webhooks/tls": host} {
		own, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
		if err != nil {
			return nil, err
		}
		if files[name+".crt"], files[name+".key"], err = sign(cert, root, own, key); err != nil {
			return nil, err
		}
	}
	files["admin.kubeconfig"] = kubeconfig(server, ca, files["admin.crt"], files["admin.key"])
	errs := []error{os.MkdirAll(filepath.Join(dir, "webhooks"), 0o700)}
	for name, data := range files {
		errs = append(errs, os.WriteFile(filepath.Join(dir, name), data, 0o600))
	}
	return ca, errors.Join(errs...)
}

func template(name string) *x509.Certificate {
	return &x509.Certificate{
		SerialNumber: big.NewInt(time.Now().UnixNano()), Subject: pkix.Name{CommonName: name}, KeyUsage: x509.KeyUsageDigitalSignature,
		NotBefore: time.Now().Add(-time.Minute), NotAfter: time.Now().Add(24 * time.Hour),
	}
}

// sign returns a certificate and its key, both in PEM.
func sign(cert, parent *x509.Certificate, own, by *ecdsa.PrivateKey) (certPEM, keyPEM []byte, err error) {
	der, err := x509.CreateCertificate(rand.Reader, cert, parent, &own.PublicKey, by)
	if err != nil {
		return nil, nil, err
	}
	keyDER, err := x509.MarshalECPrivateKey(own)
	if err != nil {
		return nil, nil, err
	}
	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}), pem.EncodeToMemory(&pem.Block{Type: "EC PRIVATE KEY", Bytes: keyDER}), nil
}

func kubeconfig(server string, ca, cert, key []byte) []byte {
	encode := base64.StdEncoding.EncodeToString
	return fmt.Appendf(nil, `apiVersion: v1
kind: Config
clusters: [{name: byhand, cluster: {server: %q, certificate-authority-data: %s}}]
users: [{name: admin, user: {client-certificate-data: %s, client-key-data: %s}}]
contexts: [{name: byhand, context: {cluster: byhand, user: admin}}]
current-context: byhand
`, server, encode(ca), encode(cert), encode(key))
}

// freePorts finds ports of loopback that nobody listens on.
func freePorts(ctx context.Context, n int) ([]int, error) {
	var ports []int
	for range n {
		var cfg net.ListenConfig
		l, err := cfg.Listen(ctx, "tcp", "127.0.0.1:0")
		if err != nil {
			return nil, err
		}
		defer func() { _ = l.Close() }() // At the end, so that no port is found twice.
		addr, _ := l.Addr().(*net.TCPAddr)
		ports = append(ports, addr.Port)
	}
	return ports, nil
}
