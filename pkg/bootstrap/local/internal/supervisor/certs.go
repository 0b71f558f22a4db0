// SPDX-License-Identifier: Apache-2.0

package supervisor

import (
	"net"
	"path/filepath"

	"github.com/clusterctl/clusterctl/pkg/bootstrap/local/internal/layout"
	"github.com/clusterctl/clusterctl/pkg/bootstrap/local/internal/ports"
	"github.com/clusterctl/clusterctl/pkg/pki"
)

// The names of files in the pki directory.
const (
	caName      = "ca"
	etcdCAName  = "etcd-ca"
	saName      = "service-account"
	adminName   = "admin"
	kcmName     = "kube-controller-manager"
	servingName = "kube-apiserver"
	etcdServer  = "etcd-server"
	etcdPeer    = "etcd-peer"
	etcdClient  = "etcd-client"
)

// certs are the authorities and what they signed.
type certs struct {
	dir  string
	ca   *pki.CA
	etcd *pki.CA
	// pairs are the certificates by name.
	pairs map[string]pki.Pair
}

// requests are the certificates of the control plane.
func requests() (cluster, etcd map[string]pki.Request) {
	loopback := []net.IP{net.ParseIP(ports.Host)}
	cluster = map[string]pki.Request{
		servingName: {
			CommonName: "kube-apiserver", Server: true, IPs: append(loopback, net.ParseIP("10.0.0.1")),
			DNS: []string{"localhost", "kubernetes", "kubernetes.default", "kubernetes.default.svc", "kubernetes.default.svc.cluster.local"},
		},
		adminName: {CommonName: "kubernetes-admin", Organizations: []string{"system:masters"}, Client: true},
		// In the group that needs no rules, so that it needn't wait until the API server has made its default ones. It
		// gains nothing by that: its key lies next to the admin's.
		kcmName: {CommonName: "system:kube-controller-manager", Organizations: []string{"system:masters"}, Client: true},
	}
	etcd = map[string]pki.Request{
		etcdServer: {CommonName: "etcd", Server: true, Client: true, IPs: loopback, DNS: []string{"localhost"}},
		etcdPeer:   {CommonName: "etcd-peer", Server: true, Client: true, IPs: loopback, DNS: []string{"localhost"}},
		etcdClient: {CommonName: "kube-apiserver", Client: true},
	}
	return cluster, etcd
}

// ensureCerts makes what is missing or about to expire.
func ensureCerts(d layout.Dir) (*certs, error) {
	c := &certs{dir: d.PKI(), pairs: map[string]pki.Pair{}}
	var err error
	if c.ca, err = pki.LoadCA(c.dir, caName); err != nil {
		return nil, err
	}
	if c.etcd, err = pki.LoadCA(c.dir, etcdCAName); err != nil {
		return nil, err
	}
	if err := pki.EnsureServiceAccountKey(c.dir, saName); err != nil {
		return nil, err
	}
	cluster, etcd := requests()
	if err := c.ensure(c.ca, cluster); err != nil {
		return nil, err
	}
	return c, c.ensure(c.etcd, etcd)
}

func (c *certs) ensure(ca *pki.CA, requests map[string]pki.Request) error {
	for name, r := range requests {
		pair, _, err := ca.EnsureFiles(c.dir, name, r)
		if err != nil {
			return err
		}
		c.pairs[name] = pair
	}
	return nil
}

func (c *certs) file(name string) string { return filepath.Join(c.dir, name) }
