// SPDX-License-Identifier: Apache-2.0

package kubeconfig

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"net"
	"net/netip"
	"net/url"
	"strconv"
	"strings"

	"github.com/clusterctl/clusterctl/pkg/fault"
)

// CheckServer says whether a string can be a new server address, see [RewriteOptions].
func CheckServer(server string) error {
	_, err := newAddress("https://placeholder:6443", server)
	return err
}

// newAddress puts what a person typed in the place of an address.
func newAddress(old, typed string) (*url.URL, error) {
	if strings.Contains(typed, "://") {
		return parseURL(typed)
	}
	was, err := url.Parse(old)
	if err != nil {
		return nil, fault.Usagef("server %q: the old address is not a URL", typed)
	}
	host, port := splitTyped(typed)
	if port == "" {
		port = was.Port()
	}
	if !validHost(host) || !validPort(port) {
		return nil, fault.WithHint(fault.Usagef("server %q is neither HOST, HOST:PORT nor an https URL", typed),
			"for example 127.0.0.1:6443, [::1]:6443 or https://api.example.com:6443")
	}
	next := &url.URL{Scheme: "https", Host: host, Path: was.Path}
	if strings.Contains(host, ":") {
		next.Host = "[" + host + "]"
	}
	if port != "" {
		next.Host += ":" + port
	}
	return next, nil
}

func parseURL(typed string) (*url.URL, error) {
	u, err := url.Parse(typed)
	switch {
	case err != nil || !validHost(u.Hostname()) || !validPort(u.Port()):
		return nil, fault.Usagef("server %q is not a URL with a host", typed)
	case u.Scheme != "https":
		return nil, fault.WithHint(fault.Usagef("server %q: only https, credentials would go out readable", typed), "https://%s", u.Host)
	case u.User != nil || u.RawQuery != "" || u.Fragment != "":
		return nil, fault.Usagef("server: user, query or fragment can't be a part of the address")
	}
	return u, nil
}

// splitTyped separates the port; an IPv6 address may come with or without brackets.
func splitTyped(typed string) (host, port string) {
	bare := typed
	if strings.HasPrefix(typed, "[") && strings.HasSuffix(typed, "]") {
		bare = typed[1 : len(typed)-1]
	}
	if addr, err := netip.ParseAddr(bare); err == nil {
		return addr.String(), ""
	}
	if host, port, err := net.SplitHostPort(typed); err == nil {
		if port == "" {
			return "", ""
		}
		return host, port
	}
	return typed, ""
}

func validHost(host string) bool {
	if host == "" {
		return false
	}
	if _, err := netip.ParseAddr(host); err == nil {
		return true
	}
	return !strings.ContainsAny(host, ":/\\?#@[] \t\r\n\"'%")
}

func validPort(port string) bool {
	if port == "" {
		return true
	}
	n, err := strconv.ParseUint(port, 10, 16)
	return err == nil && n > 0
}

func hostOf(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return ""
	}
	return u.Hostname()
}

// CertCovers asks the new address for its certificate and says whether the CA of the
// kubeconfig signed it and it is good for the new host, so that no tls-server-name is
// needed. No answer before the deadline of ctx, a proxy in between or any doubt is a no.
// No credential is sent.
func (k *Kubeconfig) CertCovers(ctx context.Context, server string) bool {
	next, err := newAddress(k.Server(), server)
	if err != nil || k.cluster().ProxyURL != "" {
		return false
	}
	port := next.Port()
	if port == "" {
		port = "443"
	}
	config := &tls.Config{ServerName: next.Hostname(), MinVersion: tls.VersionTLS12}
	if ca := k.cluster().CertificateAuthorityData; len(ca) > 0 {
		config.RootCAs = x509.NewCertPool()
		if !config.RootCAs.AppendCertsFromPEM(ca) {
			return false
		}
	}
	dialer := tls.Dialer{Config: config}
	conn, err := dialer.DialContext(ctx, "tcp", net.JoinHostPort(next.Hostname(), port))
	if err != nil {
		return false
	}
	_ = conn.Close()
	return true
}
