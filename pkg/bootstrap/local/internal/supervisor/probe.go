// SPDX-License-Identifier: Apache-2.0

package supervisor

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"syscall"
	"time"

	"github.com/clusterctl/clusterctl/pkg/bootstrap/local/internal/ports"
)

// probeTimeout is how long one probe may take.
const probeTimeout = 2 * time.Second

// probe is one look whether something is ready.
type probe = func(context.Context) error

// probes look at what listens on this host.
type probes struct {
	admin *tls.Config
	store *tls.Config
}

func newProbes(c *certs) (*probes, error) {
	admin, err := c.ca.TLS(c.pairs[adminName])
	if err != nil {
		return nil, err
	}
	store, err := c.etcd.TLS(c.pairs[etcdClient])
	return &probes{admin: admin, store: store}, err
}

func (p *probes) etcd(endpoint string) probe { return httpGet(endpoint+"/health", p.store) }

func (p *probes) apiserver(endpoint, path string) probe { return httpGet(endpoint+path, p.admin) }

func (p *probes) https(url string) probe { return httpGet(url, p.admin) }

// httpGet succeeds if the URL answers with 2xx or 3xx; cfg is for https only.
func httpGet(url string, cfg *tls.Config) probe {
	return func(ctx context.Context) error {
		ctx, cancel := context.WithTimeout(ctx, probeTimeout)
		defer cancel()
		req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
		if err != nil {
			return err
		}
		// A connection for each probe: what answers must be the process that runs now. No proxy: it is this host.
		transport := &http.Transport{TLSClientConfig: cfg, DisableKeepAlives: true}
		resp, err := (&http.Client{Transport: transport}).Do(req)
		if err != nil {
			return unwrapNet(err)
		}
		defer func() { _ = resp.Body.Close() }()
		body, _ := io.ReadAll(io.LimitReader(resp.Body, 4096))
		if resp.StatusCode >= 400 {
			return fmt.Errorf("%s answers %s%s", url, resp.Status, failedCheck(body))
		}
		return nil
	}
}

// tlsDial succeeds if a server with a certificate that cfg trusts listens on the port.
func tlsDial(port int, cfg *tls.Config) probe {
	return func(ctx context.Context) error {
		ctx, cancel := context.WithTimeout(ctx, probeTimeout)
		defer cancel()
		conn, err := (&tls.Dialer{Config: cfg}).DialContext(ctx, "tcp", ports.Address(port))
		if err != nil {
			return fmt.Errorf("webhook port: %w", unwrapNet(err))
		}
		return conn.Close()
	}
}

// tcpDial succeeds if somebody listens on the port.
func tcpDial(port int) probe {
	return func(ctx context.Context) error {
		ctx, cancel := context.WithTimeout(ctx, probeTimeout)
		defer cancel()
		conn, err := (&net.Dialer{}).DialContext(ctx, "tcp", ports.Address(port))
		if err != nil {
			return unwrapNet(err)
		}
		return conn.Close()
	}
}

// all succeeds if each does. Of none it is nil, as for every process that can't be probed: one that always succeeds would find a program
// ready which is just about to end.
func all(ps ...probe) probe {
	if len(ps) == 0 {
		return nil
	}
	return func(ctx context.Context) error {
		for _, p := range ps {
			if err := p(ctx); err != nil {
				return err
			}
		}
		return nil
	}
}

// unwrapNet shortens the usual message of a server that isn't up yet.
func unwrapNet(err error) error {
	if errors.Is(err, syscall.ECONNREFUSED) {
		return errors.New("it doesn't listen yet")
	}
	return err
}

// failedCheck picks the first check that failed out of a health endpoint's answer.
func failedCheck(body []byte) string {
	for line := range strings.Lines(string(body)) {
		if check, ok := strings.CutPrefix(line, "[-]"); ok {
			return ": " + strings.TrimSpace(check)
		}
	}
	return ""
}
