// SPDX-License-Identifier: Apache-2.0

//go:build linux

package local_test

import (
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"math/big"
	"os"
	"path/filepath"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// TestExpiringCertificatesAreRenewed: Ensure starts a running bootstrap anew when a certificate would end within 30 days.
func TestExpiringCertificatesAreRenewed(t *testing.T) {
	f := newFixture(t)
	c := f.bootstrap(t, "renew")
	ensure(t, c)
	pki := filepath.Join(c.Dir(), "pki")
	expireSoon(t, pki, "admin")
	before := supervisorPID(t, f, "renew")
	ensure(t, c)
	if after := supervisorPID(t, f, "renew"); after == before || after == 0 {
		t.Errorf("supervisor %d → %d", before, after)
	}
	if left := time.Until(leaf(t, pki, "admin").NotAfter); left < 300*24*time.Hour {
		t.Errorf("the certificate ends in %s", left)
	}
	if _, err := clientset(t, c.Kubeconfig()).CoreV1().Namespaces().List(t.Context(), metav1.ListOptions{}); err != nil {
		t.Error(err)
	}
	before = supervisorPID(t, f, "renew")
	ensure(t, c)
	if after := supervisorPID(t, f, "renew"); after != before {
		t.Error("it was started anew without need")
	}
}

func leaf(t *testing.T, dir, name string) *x509.Certificate {
	t.Helper()
	pair, err := tls.LoadX509KeyPair(filepath.Join(dir, name+".crt"), filepath.Join(dir, name+".key"))
	if err != nil {
		t.Fatal(err)
	}
	return pair.Leaf
}

// expireSoon replaces a certificate by the same one that ends in ten days.
func expireSoon(t *testing.T, dir, name string) {
	t.Helper()
	ca, err := tls.LoadX509KeyPair(filepath.Join(dir, "ca.crt"), filepath.Join(dir, "ca.key"))
	if err != nil {
		t.Fatal(err)
	}
	cert := leaf(t, dir, name)
	template := *cert
	template.SerialNumber, template.NotAfter = big.NewInt(1), time.Now().Add(10*24*time.Hour)
	der, err := x509.CreateCertificate(rand.Reader, &template, ca.Leaf, cert.PublicKey, ca.PrivateKey)
	if err != nil {
		t.Fatal(err)
	}
	data := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})
	if err := os.WriteFile(filepath.Join(dir, name+".crt"), data, 0o600); err != nil {
		t.Fatal(err)
	}
}
