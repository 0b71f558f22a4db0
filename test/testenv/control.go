// SPDX-License-Identifier: Apache-2.0

package testenv

import (
	"crypto/x509"
	"testing"
	"time"

	"k8s.io/client-go/rest"
)

// Kill ends kube-apiserver at once, as a crash would. Connections to it are refused until Restart.
func (e *Env) Kill(tb testing.TB) {
	tb.Helper()
	e.apiserver.stop()
}

// Restart starts kube-apiserver again, at the same address and with what etcd holds, and waits until it is ready.
func (e *Env) Restart(tb testing.TB) {
	tb.Helper()
	e.apiserver.stop()
	if err := e.startAPIServer(); err != nil {
		tb.Fatalf("restart kube-apiserver: %v\n%s", err, e.apiserver.tail(15))
	}
}

// User returns a connection for a user with a client certificate; without groups it may do almost nothing.
func (e *Env) User(tb testing.TB, name string, groups ...string) *rest.Config {
	tb.Helper()
	return e.user(tb, name, time.Now().Add(time.Hour), groups)
}

// ExpiredUser returns a connection whose client certificate ended an hour ago.
func (e *Env) ExpiredUser(tb testing.TB, name string) *rest.Config {
	tb.Helper()
	return e.user(tb, name, time.Now().Add(-time.Hour), nil)
}

func (e *Env) user(tb testing.TB, name string, until time.Time, groups []string) *rest.Config {
	tb.Helper()
	tmpl := template(name)
	tmpl.Subject.Organization = groups
	tmpl.NotBefore, tmpl.NotAfter = until.Add(-24*time.Hour), until
	tmpl.ExtKeyUsage = []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth}
	cert, key, err := e.ca.issue(tmpl)
	if err != nil {
		tb.Fatal(err)
	}
	return &rest.Config{
		Host:            e.REST.Host,
		QPS:             -1,
		TLSClientConfig: rest.TLSClientConfig{CAData: e.ca.pem, CertData: cert, KeyData: key},
	}
}
