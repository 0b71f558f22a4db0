// SPDX-License-Identifier: Apache-2.0

package kubeconfig

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/base64"
	"encoding/pem"
	"fmt"
	"math/big"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// sample is a kubeconfig of the form that the controllers write.
func sample(name, server, token string) string {
	return fmt.Sprintf(`apiVersion: v1
clusters:
- cluster:
    server: %[2]s
  name: %[1]s
contexts:
- context:
    cluster: %[1]s
    user: %[1]s-admin
  name: %[1]s-admin@%[1]s
current-context: %[1]s-admin@%[1]s
kind: Config
preferences: {}
users:
- name: %[1]s-admin
  user:
    token: %[3]s
`, name, server, token)
}

func mustParse(tb testing.TB, text string) *Kubeconfig {
	tb.Helper()
	k, err := Parse([]byte(text))
	if err != nil {
		tb.Fatal(err)
	}
	return k
}

func demo(t testing.TB) *Kubeconfig {
	t.Helper()
	return mustParse(t, sample("demo", "https://10.0.0.1:6443", "s3cret"))
}

func write(t testing.TB, path, text string, mode os.FileMode) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), mode); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(path, mode); err != nil {
		t.Fatal(err)
	}
}

func read(t testing.TB, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// names lists a directory.
func names(t testing.TB, dir string) []string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, e := range entries {
		out = append(out, e.Name())
	}
	return out
}

func backups(t testing.TB, path string) []string {
	t.Helper()
	found, err := filepath.Glob(path + ".bak-*")
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// certificate makes a self-signed one.
func certificate(t testing.TB, notAfter time.Time) []byte {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "test"},
		NotBefore: notAfter.Add(-365 * 24 * time.Hour), NotAfter: notAfter,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})
}

func withUser(user string) string {
	return strings.Replace(sample("demo", "https://10.0.0.1:6443", "x"), "    token: x\n", user, 1)
}

func b64(data []byte) string { return base64.StdEncoding.EncodeToString(data) }

func link(t testing.TB, to, path string) string {
	t.Helper()
	if err := os.Symlink(to, path); err != nil {
		t.Fatal(err)
	}
	return path
}
