// SPDX-License-Identifier: Apache-2.0

package kube

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/base64"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
)

// askDirectly asks a webhook's server without the API server's webhook machinery.
func (p *prover) askDirectly(ctx context.Context, h hook) (verdict, string, error) {
	if h.url != "" {
		return askURL(ctx, h)
	}
	s := h.service
	path := fmt.Sprintf("/api/v1/namespaces/%s/services/https:%s:%d/proxy/", s.namespace, s.name, s.port)
	err := p.raw.Get().AbsPath(path).MaxRetries(0).Do(ctx).Error()
	switch code := statusCode(err); {
	case err == nil:
		return answers, "", nil
	case code == 0:
		return unknown, "", p.explain(err)
	case isMissingRight(err): // nothing left to find out with; its Deployment is waited for elsewhere
		return answers, "", nil
	case apierrors.IsNotFound(err) && isAbout(err, "services"):
		return silent, "its " + h.server() + " doesn't exist", nil
	case code == http.StatusServiceUnavailable || code == http.StatusBadGateway || code == http.StatusGatewayTimeout:
		return silent, fmt.Sprintf("its %s doesn't answer: %s", h.server(), firstOf(err.Error())), nil
	}
	return answers, "", nil // an HTTP server is there and says that it doesn't know the path, or wants a POST
}

func isAbout(err error, resource string) bool {
	var status apierrors.APIStatus
	return errors.As(err, &status) && status.Status().Details != nil && status.Status().Details.Kind == resource
}

// askURL makes a TLS connection with the webhook's caBundle and waits for any HTTP answer.
func askURL(ctx context.Context, h hook) (verdict, string, error) {
	pool, err := poolOf(h.caBundle)
	if err != nil {
		return silent, err.Error(), nil
	}
	const limit = 5 * time.Second
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	t := &http.Transport{TLSClientConfig: &tls.Config{RootCAs: pool, MinVersion: tls.VersionTLS12}, DisableKeepAlives: true}
	defer t.CloseIdleConnections()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, h.url, strings.NewReader("{}"))
	if err != nil {
		return silent, err.Error(), nil
	}
	req.Header.Set("Content-Type", "application/json")
	resp, err := t.RoundTrip(req)
	if err == nil {
		_ = resp.Body.Close()
		return answers, "", nil
	}
	if u, parseErr := url.Parse(h.url); parseErr == nil && !isLoopback(u.Hostname()) {
		return answers, "", nil // it may be meant for the API server alone
	}
	return silent, fmt.Sprintf("%s doesn't answer: %v", h.server(), err), nil
}

func isLoopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

// poolOf reads a caBundle; an empty one stands for the system's authorities.
func poolOf(bundle string) (*x509.CertPool, error) {
	if bundle == "" {
		return nil, nil //nolint:nilnil // nil is what crypto/tls takes for the system's pool
	}
	pem, err := base64.StdEncoding.DecodeString(bundle)
	if err != nil {
		return nil, fmt.Errorf("read caBundle: %w", err)
	}
	pool := x509.NewCertPool()
	if !pool.AppendCertsFromPEM(pem) {
		return nil, errors.New("caBundle holds no certificate")
	}
	return pool, nil
}
