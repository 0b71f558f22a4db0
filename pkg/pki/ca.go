// SPDX-License-Identifier: Apache-2.0

// Package pki makes certificate authorities of our own and what they sign.
package pki

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"fmt"
	"io/fs"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"time"

	"github.com/clusterctl/clusterctl/pkg/atomicfile"
)

const (
	// Validity is how long a certificate is good for.
	Validity = 365 * 24 * time.Hour
	// RenewBefore is how long before its end a certificate is made anew.
	RenewBefore = 30 * 24 * time.Hour
	caValidity  = 10 * 365 * 24 * time.Hour
	// skew lets certificates hold for hosts whose clocks are a little behind.
	skew = 5 * time.Minute
)

// CA is a certificate authority with its key.
type CA struct {
	cert *x509.Certificate
	key  crypto.Signer
	// PEM is its certificate.
	PEM []byte
}

// Request says what a certificate is for.
type Request struct {
	// CommonName and Organizations are the user and groups of a client.
	CommonName    string
	Organizations []string
	// DNS and IPs are the names of a server.
	DNS []string
	IPs []net.IP
	// Client and Server are the uses.
	Client, Server bool
	// For is how long it is good, at most as long as its authority; zero means Validity.
	For time.Duration
}

// Pair is a certificate and its key, PEM encoded.
type Pair struct{ Cert, Key []byte }

// LoadCA reads the authority called name from dir, or makes it.
func LoadCA(dir, name string) (*CA, error) {
	certFile, keyFile := filepath.Join(dir, name+".crt"), filepath.Join(dir, name+".key")
	pair, err := readPair(certFile, keyFile)
	if errors.Is(err, fs.ErrNotExist) {
		if pair, err = newCA(name); err == nil {
			err = writePair(certFile, keyFile, pair)
		}
	}
	if err != nil {
		return nil, fmt.Errorf("load certificate authority %s: %w", name, err)
	}
	return parseCA(certFile, pair)
}

// NewCA makes an authority that is kept nowhere: what it signs is all that it ever signs.
func NewCA(name string) (*CA, error) {
	pair, err := newCA(name)
	if err != nil {
		return nil, fmt.Errorf("make certificate authority %s: %w", name, err)
	}
	return parseCA(name, pair)
}

func parseCA(file string, pair Pair) (*CA, error) {
	cert, err := parseCert(pair.Cert)
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", file, err)
	}
	block, _ := pem.Decode(pair.Key)
	if block == nil {
		return nil, fmt.Errorf("read key of %s: no PEM data", file)
	}
	key, err := x509.ParsePKCS8PrivateKey(block.Bytes)
	if err != nil {
		return nil, fmt.Errorf("read key of %s: %w", file, err)
	}
	signer, ok := key.(*ecdsa.PrivateKey)
	if !ok || !signer.PublicKey.Equal(cert.PublicKey) {
		return nil, fmt.Errorf("read %s: certificate and key don't belong together", file)
	}
	return &CA{cert: cert, key: signer, PEM: pair.Cert}, nil
}

func newCA(name string) (Pair, error) {
	template := &x509.Certificate{
		Subject:               pkix.Name{CommonName: "clusterctl-" + name},
		NotAfter:              time.Now().Add(caValidity),
		KeyUsage:              x509.KeyUsageCertSign | x509.KeyUsageDigitalSignature,
		BasicConstraintsValid: true,
		IsCA:                  true,
	}
	return sign(template, nil)
}

// Issue makes a certificate with a new key.
func (ca *CA) Issue(r Request) (Pair, error) {
	if r.For == 0 {
		r.For = Validity
	}
	template := &x509.Certificate{
		Subject:     pkix.Name{CommonName: r.CommonName, Organization: r.Organizations},
		NotAfter:    time.Now().Add(r.For),
		KeyUsage:    x509.KeyUsageDigitalSignature,
		DNSNames:    r.DNS,
		IPAddresses: r.IPs,
	}
	if r.Client {
		template.ExtKeyUsage = append(template.ExtKeyUsage, x509.ExtKeyUsageClientAuth)
	}
	if r.Server {
		template.ExtKeyUsage = append(template.ExtKeyUsage, x509.ExtKeyUsageServerAuth)
	}
	if ca.cert.NotAfter.Before(template.NotAfter) {
		template.NotAfter = ca.cert.NotAfter
	}
	return sign(template, ca)
}

// sign makes a key and signs its certificate; without a ca it signs itself.
func sign(template *x509.Certificate, ca *CA) (Pair, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return Pair{}, err
	}
	serial, err := rand.Int(rand.Reader, new(big.Int).Lsh(big.NewInt(1), 127))
	if err != nil {
		return Pair{}, err
	}
	template.SerialNumber = serial
	template.NotBefore = time.Now().Add(-skew)
	parent, signer := template, crypto.Signer(key)
	if ca != nil {
		parent, signer = ca.cert, ca.key
	}
	der, err := x509.CreateCertificate(rand.Reader, template, parent, key.Public(), signer)
	if err != nil {
		return Pair{}, err
	}
	keyPEM, err := encodeKey(key)
	return Pair{Cert: pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}), Key: keyPEM}, err
}

func encodeKey(key crypto.PrivateKey) ([]byte, error) {
	der, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		return nil, err
	}
	return pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der}), nil
}

func parseCert(data []byte) (*x509.Certificate, error) {
	block, _ := pem.Decode(data)
	if block == nil {
		return nil, errors.New("no PEM data")
	}
	return x509.ParseCertificate(block.Bytes)
}

func readPair(certFile, keyFile string) (Pair, error) {
	// The key is written first: a crash in between leaves no certificate, and the pair is made anew.
	cert, err := os.ReadFile(certFile)
	if err != nil {
		return Pair{}, err
	}
	key, err := os.ReadFile(keyFile)
	return Pair{Cert: cert, Key: key}, err
}

func writePair(certFile, keyFile string, p Pair) error {
	if err := atomicfile.Write(keyFile, p.Key, 0o600); err != nil {
		return err
	}
	return atomicfile.Write(certFile, p.Cert, 0o600)
}
