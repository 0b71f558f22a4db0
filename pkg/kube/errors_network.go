// SPDX-License-Identifier: Apache-2.0

package kube

import (
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"strings"
	"syscall"
	"time"

	"k8s.io/client-go/rest"

	"github.com/clusterctl/clusterctl/pkg/fault"
)

// connection words an error that came before any answer of the server.
func (c *Client) connection(err error) error {
	if text, hint := certificateFault(err); text != "" {
		out := &explained{text: fmt.Sprintf("no trusted connection to %s: %s", c.Host(), text), is: []error{ErrTLS, err}}
		return fault.WithHint(out, "%s", hint)
	}
	if _, cause, ok := strings.Cut(err.Error(), "getting credentials: "); ok {
		out := &explained{text: fmt.Sprintf("no credentials for %s: %s", c.Host(), cause), is: []error{ErrUnauthorized, err}}
		return fault.WithHint(out, "run the command that the kubeconfig's user names (users[].user.exec) by itself to see why it fails")
	}
	text, hint := networkFault(err)
	if text == "" {
		return err
	}
	out := &explained{text: fmt.Sprintf("can't reach %s: %s", c.Host(), text), is: []error{ErrUnreachable, err}}
	return fault.WithHint(out, "%s", hint)
}

func certificateFault(err error) (text, hint string) {
	var (
		authority x509.UnknownAuthorityError
		name      x509.HostnameError
		invalid   x509.CertificateInvalidError
		record    tls.RecordHeaderError
	)
	const otherServer = "check that the kubeconfig belongs to this server (certificate-authority-data)"
	switch {
	case errors.As(err, &authority):
		return "its certificate was issued by an authority that the kubeconfig doesn't know", otherServer
	case errors.As(err, &name):
		return fmt.Sprintf("its certificate is for %s, not for %s", strings.Join(hosts(name.Certificate), ", "), name.Host),
			"use one of these names as server, or as tls-server-name, in the kubeconfig"
	case errors.As(err, &invalid) && invalid.Reason == x509.Expired:
		return fmt.Sprintf("its certificate is valid from %s to %s only", day(invalid.Cert.NotBefore), day(invalid.Cert.NotAfter)),
			"renew the server's certificate, or set this host's clock"
	case errors.As(err, &invalid):
		return invalid.Error(), otherServer
	case errors.As(err, &record), errors.Is(err, http.ErrSchemeMismatch), strings.Contains(err.Error(), "HTTP response to HTTPS client"):
		return "it doesn't speak TLS", "check address and port of the server in the kubeconfig"
	case strings.Contains(err.Error(), "remote error: tls: "):
		_, alert, _ := strings.Cut(err.Error(), "remote error: tls: ")
		return "it refuses the client's certificate (" + alert + ")", "get a new kubeconfig for this cluster"
	}
	return "", ""
}

func networkFault(err error) (text, hint string) {
	const running = "check that the cluster runs and that its address in the kubeconfig is right"
	var (
		op    *net.OpError
		dns   *net.DNSError
		block *url.Error
		slow  net.Error
	)
	switch {
	case errors.As(err, &op) && op.Op == "proxyconnect":
		return "the proxy doesn't answer: " + op.Err.Error(), "check HTTPS_PROXY and NO_PROXY"
	case errors.As(err, &dns):
		return "no address known for " + dns.Name, "check the server's name in the kubeconfig, and DNS"
	case errors.Is(err, syscall.ECONNREFUSED):
		return "connection refused", running
	case errors.Is(err, syscall.ECONNRESET), errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return "it closed the connection", running
	case errors.As(err, &slow) && slow.Timeout():
		return "no answer in time", running
	case errors.As(err, &op):
		return op.Err.Error(), running
	case errors.As(err, &block):
		return block.Err.Error(), running
	}
	return "", ""
}

func hosts(c *x509.Certificate) []string {
	out := append([]string{}, c.DNSNames...)
	for _, ip := range c.IPAddresses {
		out = append(out, ip.String())
	}
	return out
}

func day(t time.Time) string { return t.UTC().Format("2006-01-02 15:04 MST") }

// certificateEnd tells when the client certificate ended; ok is false where there is none, or it still holds.
func certificateEnd(t rest.TLSClientConfig) (end time.Time, ok bool) {
	data := t.CertData
	if len(data) == 0 && t.CertFile != "" {
		data, _ = os.ReadFile(t.CertFile)
	}
	block, _ := pem.Decode(data)
	if block == nil {
		return time.Time{}, false
	}
	cert, err := x509.ParseCertificate(block.Bytes)
	if err != nil || time.Now().Before(cert.NotAfter) {
		return time.Time{}, false
	}
	return cert.NotAfter, true
}
