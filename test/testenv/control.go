// SPDX-License-Identifier: Apache-2.0

package testenv

import (
	"context"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
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

// Full has etcd refuse every write as if its space were exceeded, or accept them again. Reads and deletions go on, as they do then.
func (e *Env) Full(ctx context.Context, full bool) error {
	action := "DEACTIVATE"
	if full {
		action = "ACTIVATE"
	}
	client := e.etcdClient()
	members, err := e.ask(ctx, client, "/v3/cluster/member/list", "{}")
	if err != nil {
		return err
	}
	var list struct {
		Members []struct{ ID string }
	}
	if err := json.Unmarshal(members, &list); err != nil || len(list.Members) != 1 {
		return fmt.Errorf("list etcd's members: %s (%w)", members, err)
	}
	_, err = e.ask(ctx, client, "/v3/maintenance/alarm", fmt.Sprintf(`{"action":%q,"memberID":%q,"alarm":"NOSPACE"}`, action, list.Members[0].ID))
	return err
}

// Edit changes what etcd holds of an object, behind the API server's back; it has to be killed before and restarted after. The
// path is that below /registry/, for example "apiextensions.k8s.io/customresourcedefinitions/NAME".
func (e *Env) Edit(ctx context.Context, path string, change func([]byte) []byte) error {
	client := e.etcdClient()
	key := base64.StdEncoding.EncodeToString([]byte("/registry/" + path))
	found, err := e.ask(ctx, client, "/v3/kv/range", fmt.Sprintf(`{"key":%q}`, key))
	if err != nil {
		return err
	}
	var list struct {
		KVs []struct{ Value []byte }
	}
	if err := json.Unmarshal(found, &list); err != nil || len(list.KVs) != 1 {
		return fmt.Errorf("read %s from etcd: %s (%w)", path, found, err)
	}
	value := base64.StdEncoding.EncodeToString(change(list.KVs[0].Value))
	_, err = e.ask(ctx, client, "/v3/kv/put", fmt.Sprintf(`{"key":%q,"value":%q}`, key, value))
	return err
}

// etcdClient reaches etcd at its socket.
func (e *Env) etcdClient() *http.Client {
	return &http.Client{Transport: &http.Transport{DisableKeepAlives: true, DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return (&net.Dialer{}).DialContext(ctx, "unix", e.socket())
	}}}
}

func (e *Env) ask(ctx context.Context, client *http.Client, path, body string) ([]byte, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://etcd"+path, strings.NewReader(body))
	if err != nil {
		return nil, err
	}
	resp, err := client.Do(req)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	data, err := io.ReadAll(resp.Body)
	if err == nil && resp.StatusCode != http.StatusOK {
		err = fmt.Errorf("etcd answers %s to %s: %s", resp.Status, path, data)
	}
	return data, err
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
