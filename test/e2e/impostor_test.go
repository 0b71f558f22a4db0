// SPDX-License-Identifier: Apache-2.0

//go:build linux

package e2e

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"io"
	"math/big"
	"net"
	"net/http"
	"net/http/httptest"
	"path"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

// impostor is a proxy that takes the place of every HTTPS server and hands out programs that aren't what their checksums
// say. It gives its address, and the file with the authority that it must be trusted by.
func impostor(t *testing.T) (address, ca string) {
	t.Helper()
	cert := selfSigned(t, "dl.k8s.io", "github.com")
	ca = filepath.Join(t.TempDir(), "ca.crt")
	writeFile(t, ca, string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: cert.Certificate[0]})))
	server := httptest.NewUnstartedServer(http.HandlerFunc(impostorFile))
	server.TLS = &tls.Config{Certificates: []tls.Certificate{cert}, MinVersion: tls.VersionTLS12}
	server.StartTLS()
	t.Cleanup(server.Close)
	proxy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		tunnel(w, r, server.Listener.Addr().String())
	}))
	t.Cleanup(proxy.Close)
	return proxy.URL, ca
}

func selfSigned(t *testing.T, names ...string) tls.Certificate {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), DNSNames: names, NotAfter: time.Now().Add(time.Hour), IsCA: true, BasicConstraintsValid: true,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		t.Fatal(err)
	}
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}
}

// impostorFile serves sums that fit to nothing.
func impostorFile(w http.ResponseWriter, r *http.Request) {
	sum := strings.Repeat("0", 64)
	switch name := path.Base(r.URL.Path); {
	case strings.HasSuffix(name, ".sha256"):
		_, _ = io.WriteString(w, sum)
	case name == "SHA256SUMS":
		for _, arch := range []string{"amd64", "arm64"} {
			_, _ = io.WriteString(w, sum+"  etcd-"+path.Base(path.Dir(r.URL.Path))+"-linux-"+arch+".tar.gz\n")
		}
	default:
		_, _ = io.WriteString(w, "not what you asked for")
	}
}

// tunnel connects a client that asks for any server with one.
func tunnel(w http.ResponseWriter, r *http.Request, to string) {
	if r.Method != http.MethodConnect {
		http.Error(w, "only CONNECT", http.StatusMethodNotAllowed)
		return
	}
	there, err := new(net.Dialer).DialContext(r.Context(), "tcp", to)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadGateway)
		return
	}
	here, _, err := w.(http.Hijacker).Hijack()
	if err != nil {
		_ = there.Close()
		return
	}
	_, _ = io.WriteString(here, "HTTP/1.1 200 Connected\r\n\r\n")
	var both sync.WaitGroup
	for _, pair := range [][2]net.Conn{{here, there}, {there, here}} {
		both.Go(func() {
			_, _ = io.Copy(pair[0], pair[1])
			_ = pair[0].Close()
		})
	}
	both.Wait()
}
