// SPDX-License-Identifier: Apache-2.0

package kube

import (
	"context"
	"fmt"
	"net/http"
	"time"

	"k8s.io/apimachinery/pkg/runtime/schema"
	utilnet "k8s.io/apimachinery/pkg/util/net"
	"k8s.io/apimachinery/pkg/version"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/metadata"
	_ "k8s.io/client-go/plugin/pkg/client/auth/oidc" // kubeconfigs may name this plugin; exec plugins are always there
	"k8s.io/client-go/rest"

	"github.com/clusterctl/clusterctl/pkg/event"
)

// FieldManager owns the fields that clusterctl applies.
const FieldManager = "clusterctl"

// The defaults of Options.
const (
	defaultQPS     = 500
	defaultBurst   = 1000
	defaultTimeout = 30 * time.Second
)

// Options tune a Client. The zero value is good.
type Options struct {
	// UserAgent is how the server's logs call us; default "clusterctl". Programs add their version: "clusterctl/v1.2.3".
	UserAgent string
	// QPS and Burst limit requests per second; default 500 and 1000.
	QPS   float32
	Burst int
	// Timeout is for one request, answer included; default 30 s.
	Timeout time.Duration
	// Counter counts the requests together with those of other connections; nil counts this one's.
	Counter *Counter
	// Sink hears why something is tried again; nil is allowed.
	Sink event.Sink
}

// Client is a connection to one API server. It is safe for concurrent use.
type Client struct {
	given    *rest.Config
	config   *rest.Config
	http     *http.Client
	dynamic  dynamic.Interface
	metadata metadata.Interface
	raw      *rest.RESTClient
	sink     event.Sink
	counter  *Counter
	warnings *warnings
	disco    *discoverer
}

// ServerInfo is what an API server says about itself.
type ServerInfo struct {
	// Host is the address that we connect to, for example https://10.0.0.1:6443.
	Host string
	// Version is the release, for example "v1.34.4"; Major and Minor are its parts as the server gives them.
	Version, Major, Minor string
	// Platform is the server's operating system and architecture.
	Platform string
}

// New prepares a connection and sends nothing. It returns an error where the configuration
// itself is unusable, for example because a certificate file can't be read.
func New(cfg *rest.Config, opts Options) (*Client, error) {
	c := &Client{given: rest.CopyConfig(cfg), config: rest.CopyConfig(cfg), sink: opts.Sink, counter: opts.Counter, warnings: &warnings{}}
	if c.counter == nil {
		c.counter = NewCounter()
	}
	c.config.UserAgent = orDefault(opts.UserAgent, FieldManager)
	c.config.QPS, c.config.Burst = orDefault(opts.QPS, defaultQPS), orDefault(opts.Burst, defaultBurst)
	c.config.Timeout = orDefault(opts.Timeout, defaultTimeout)
	c.config.RateLimiter = nil
	c.config.WarningHandler, c.config.WarningHandlerWithContext = nil, c.warnings
	c.config.Wrap(c.counter.wrap)
	if err := c.connect(); err != nil {
		return nil, fmt.Errorf("prepare connection to %s: %w", cfg.Host, err)
	}
	return c, nil
}

func (c *Client) connect() error {
	var err error
	if c.http, err = rest.HTTPClientFor(c.config); err != nil {
		return err
	}
	// One limiter for all: each client would make its own.
	c.config.RateLimiter = newLimiter(c.config.QPS, c.config.Burst)
	if c.dynamic, err = dynamic.NewForConfigAndClient(c.config, c.http); err != nil {
		return err
	}
	if c.metadata, err = metadata.NewForConfigAndClient(c.config, c.http); err != nil {
		return err
	}
	raw := dynamic.ConfigFor(c.config)
	raw.GroupVersion = &schema.GroupVersion{}
	if c.raw, err = rest.UnversionedRESTClientForConfigAndClient(raw, c.http); err != nil {
		return err
	}
	c.disco = &discoverer{client: c.raw}
	return nil
}

// Close drops idle connections. The Client can still be used.
func (c *Client) Close() { utilnet.CloseIdleConnectionsFor(c.http.Transport) }

// Host is the server's address, for messages.
func (c *Client) Host() string { return c.config.Host }

// Config returns a copy of the configuration that New was given, with our user agent, for libraries that want a
// client of their own. What they send isn't counted.
func (c *Client) Config() *rest.Config {
	out := rest.CopyConfig(c.given)
	out.UserAgent = c.config.UserAgent
	return out
}

// Ping asks for the server's version. Its errors match ErrUnreachable, ErrTLS or ErrUnauthorized and name the server.
func (c *Client) Ping(ctx context.Context) (ServerInfo, error) {
	var v version.Info
	data, err := c.raw.Get().AbsPath("/version").Do(ctx).Raw()
	if err == nil {
		err = unmarshal(data, &v)
	}
	if err != nil {
		return ServerInfo{}, c.explainFirst(err)
	}
	return ServerInfo{
		Host: c.Host(), Version: v.GitVersion, Major: v.Major, Minor: v.Minor, Platform: v.Platform,
	}, nil
}

// UID is the identity of the cluster behind the server: the UID of the namespace kube-system.
func (c *Client) UID(ctx context.Context) (string, error) {
	gvr := schema.GroupVersionResource{Version: "v1", Resource: "namespaces"}
	u, err := c.metadata.Resource(gvr).Get(ctx, "kube-system", getOptions)
	if err != nil {
		return "", fmt.Errorf("identify cluster: %w", c.explain(err))
	}
	return string(u.UID), nil
}

func orDefault[T comparable](v, def T) T {
	var zero T
	if v == zero {
		return def
	}
	return v
}
