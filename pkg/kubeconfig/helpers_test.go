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

func demo(tb testing.TB) *Kubeconfig {
	tb.Helper()
	return mustParse(tb, sample("demo", "https://10.0.0.1:6443", "s3cret"))
}

func write(tb testing.TB, path, text string, mode os.FileMode) {
	tb.Helper()
	if err := os.WriteFile(path, []byte(text), mode); err != nil {
		tb.Fatal(err)
	}
	if err := os.Chmod(path, mode); err != nil {
		tb.Fatal(err)
	}
}

func read(tb testing.TB, path string) string {
	tb.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		tb.Fatal(err)
	}
	return string(data)
}

// names lists a directory.
func names(tb testing.TB, dir string) []string {
	tb.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		tb.Fatal(err)
	}
	var out []string
	for _, e := range entries {
		out = append(out, e.Name())
	}
	return out
}

func backups(tb testing.TB, path string) []string {
	tb.Helper()
	found, err := filepath.Glob(path + ".bak-*")
	if err != nil {
		tb.Fatal(err)
	}
	return found
}

// certificate makes a self-signed one.
func certificate(tb testing.TB, notAfter time.Time) []byte {
	tb.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		tb.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "test"},
		NotBefore: notAfter.Add(-365 * 24 * time.Hour), NotAfter: notAfter,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		tb.Fatal(err)
	}
	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})
}

func withUser(user string) string {
	return strings.Replace(sample("demo", "https://10.0.0.1:6443", "x"), "    token: x\n", user, 1)
}

func b64(data []byte) string { return base64.StdEncoding.EncodeToString(data) }

func link(tb testing.TB, to, path string) string {
	tb.Helper()
	if err := os.Symlink(to, path); err != nil {
		tb.Fatal(err)
	}
	return path
}
