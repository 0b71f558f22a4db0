// SPDX-License-Identifier: Apache-2.0

package pki

import (
	"crypto/x509"
	"net"
	"os"
	"path/filepath"
	"testing"
	"time"
)

func newTestCA(t *testing.T, dir string) *CA {
	t.Helper()
	ca, err := LoadCA(dir, "ca")
	if err != nil {
		t.Fatal(err)
	}
	return ca
}

func TestLoadCAKeepsIt(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	first, again := newTestCA(t, dir), newTestCA(t, dir)
	if string(first.PEM) != string(again.PEM) {
		t.Error("the authority was made anew")
	}
	for _, file := range []string{"ca.crt", "ca.key"} {
		info, err := os.Stat(filepath.Join(dir, file))
		if err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("%s: %v, %v", file, info.Mode(), err)
		}
	}
	if err := os.WriteFile(filepath.Join(dir, "ca.crt"), []byte("rubbish"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := LoadCA(dir, "ca"); err == nil {
		t.Error("a damaged authority is replaced silently, and with it everything that it signed")
	}
}

func TestEnsureFiles(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	ca := newTestCA(t, dir)
	request := Request{CommonName: "server", Server: true, DNS: []string{"localhost"}, IPs: []net.IP{net.ParseIP("127.0.0.1")}}
	first, renewed, err := ca.EnsureFiles(dir, "server", request)
	if err != nil || !renewed {
		t.Fatal(renewed, err)
	}
	again, renewed, err := ca.EnsureFiles(dir, "server", request)
	if err != nil || renewed || string(again.Cert) != string(first.Cert) {
		t.Errorf("made anew: %v, %v", renewed, err)
	}
	for name, other := range map[string]Request{
		"other names":  {CommonName: "server", Server: true, DNS: []string{"example.com"}, IPs: request.IPs},
		"other use":    {CommonName: "server", Client: true, DNS: request.DNS, IPs: request.IPs},
		"other groups": {CommonName: "server", Organizations: []string{"admins"}, Server: true, DNS: request.DNS, IPs: request.IPs},
	} {
		if ca.good(first, other, time.Now()) {
			t.Errorf("%s: the old certificate is kept", name)
		}
	}
	if !ca.good(first, request, time.Now().Add(Validity-RenewBefore-time.Hour)) || ca.good(first, request, time.Now().Add(Validity-RenewBefore+time.Hour)) {
		t.Error("it isn't renewed when RenewBefore says")
	}
	if newTestCA(t, t.TempDir()).good(first, request, time.Now()) {
		t.Error("a certificate of another authority is kept")
	}
	if end, err := Expiry(filepath.Join(dir, "server.crt")); err != nil || time.Until(end) < Validity-time.Hour {
		t.Errorf("Expiry: %s, %v", end, err)
	}
}

func TestIssuedUses(t *testing.T) {
	t.Parallel()
	ca := newTestCA(t, t.TempDir())
	pool := x509.NewCertPool()
	pool.AppendCertsFromPEM(ca.PEM)
	for name, tt := range map[string]struct {
		request Request
		use     x509.ExtKeyUsage
		ok      bool
	}{
		"client as client": {Request{CommonName: "c", Client: true}, x509.ExtKeyUsageClientAuth, true},
		"client as server": {Request{CommonName: "c", Client: true}, x509.ExtKeyUsageServerAuth, false},
		"server as client": {Request{CommonName: "s", Server: true}, x509.ExtKeyUsageClientAuth, false},
	} {
		pair, err := ca.Issue(tt.request)
		if err != nil {
			t.Fatal(err)
		}
		cert, err := parseCert(pair.Cert)
		if err != nil {
			t.Fatal(err)
		}
		_, err = cert.Verify(x509.VerifyOptions{Roots: pool, KeyUsages: []x509.ExtKeyUsage{tt.use}})
		if (err == nil) != tt.ok || cert.IsCA {
			t.Errorf("%s: %v", name, err)
		}
	}
}
