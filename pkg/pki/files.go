// SPDX-License-Identifier: Apache-2.0

package pki

import (
	"bytes"
	"crypto/rand"
	"crypto/rsa"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/clusterctl/clusterctl/pkg/atomicfile"
)

// EnsureFiles makes sure that dir/name.crt and dir/name.key are a certificate as r says, signed by ca and good
// for at least RenewBefore, and returns them. renewed says that they were made anew.
func (ca *CA) EnsureFiles(dir, name string, r Request) (pair Pair, renewed bool, err error) {
	certFile, keyFile := filepath.Join(dir, name+".crt"), filepath.Join(dir, name+".key")
	pair, err = readPair(certFile, keyFile)
	if err == nil && ca.good(pair, r, time.Now()) {
		return pair, false, nil
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return Pair{}, false, fmt.Errorf("read certificate %s: %w", certFile, err)
	}
	if pair, err = ca.Issue(r); err == nil {
		err = writePair(certFile, keyFile, pair)
	}
	if err != nil {
		return Pair{}, false, fmt.Errorf("make certificate %s: %w", certFile, err)
	}
	return pair, true, nil
}

// good says whether a pair still serves r.
func (ca *CA) good(p Pair, r Request, now time.Time) bool { return Good(ca.PEM, p, r, now) }

// Good says whether a pair serves r for at least RenewBefore, for those who trust the authorities in bundle (PEM).
func Good(bundle []byte, p Pair, r Request, now time.Time) bool {
	if _, err := tls.X509KeyPair(p.Cert, p.Key); err != nil {
		return false
	}
	cert, err := parseCert(p.Cert)
	if err != nil || now.Add(RenewBefore).After(cert.NotAfter) {
		return false
	}
	pool := x509.NewCertPool()
	if !pool.AppendCertsFromPEM(bundle) {
		return false
	}
	_, err = cert.Verify(x509.VerifyOptions{Roots: pool, CurrentTime: now, KeyUsages: []x509.ExtKeyUsage{x509.ExtKeyUsageAny}})
	return err == nil &&
		cert.Subject.CommonName == r.CommonName &&
		slices.Equal(cert.Subject.Organization, r.Organizations) &&
		slices.Equal(cert.DNSNames, r.DNS) &&
		slices.EqualFunc(cert.IPAddresses, r.IPs, net.IP.Equal) &&
		slices.Contains(cert.ExtKeyUsage, x509.ExtKeyUsageClientAuth) == r.Client &&
		slices.Contains(cert.ExtKeyUsage, x509.ExtKeyUsageServerAuth) == r.Server
}

// Expiry is when the certificate in a PEM file ends.
func Expiry(file string) (time.Time, error) {
	data, err := os.ReadFile(file)
	if err != nil {
		return time.Time{}, err
	}
	cert, err := parseCert(data)
	if err != nil {
		return time.Time{}, fmt.Errorf("read %s: %w", file, err)
	}
	return cert.NotAfter, nil
}

// TLS is the client configuration that trusts ca and shows pair; a zero pair shows nothing.
func (ca *CA) TLS(pair Pair) (*tls.Config, error) {
	pool := x509.NewCertPool()
	pool.AddCert(ca.cert)
	cfg := &tls.Config{RootCAs: pool, MinVersion: tls.VersionTLS12}
	if len(pair.Cert) > 0 {
		cert, err := tls.X509KeyPair(pair.Cert, pair.Key)
		if err != nil {
			return nil, err
		}
		cfg.Certificates = []tls.Certificate{cert}
	}
	return cfg, nil
}

// EnsureServiceAccountKey makes sure that dir/name.key and dir/name.pub are the key pair for service account tokens.
func EnsureServiceAccountKey(dir, name string) error {
	keyFile, pubFile := filepath.Join(dir, name+".key"), filepath.Join(dir, name+".pub")
	if _, err := os.Stat(pubFile); err == nil {
		return nil
	}
	// RSA, because that is what every client of the issuer's keys understands.
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		return err
	}
	keyPEM, err := encodeKey(key)
	if err != nil {
		return err
	}
	der, err := x509.MarshalPKIXPublicKey(key.Public())
	if err != nil {
		return err
	}
	if err := atomicfile.Write(keyFile, keyPEM, 0o600); err != nil {
		return err
	}
	pub := bytes.NewBuffer(nil)
	if err := pem.Encode(pub, &pem.Block{Type: "PUBLIC KEY", Bytes: der}); err != nil {
		return err
	}
	return atomicfile.Write(pubFile, pub.Bytes(), 0o600)
}
