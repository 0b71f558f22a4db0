// SPDX-License-Identifier: Apache-2.0

package supervisor

import (
	"context"
	"fmt"
	"path/filepath"
	"time"

	"github.com/clusterctl/clusterctl/pkg/bootstrap/local/internal/layout"
	"github.com/clusterctl/clusterctl/pkg/bootstrap/local/internal/ports"
)

// The names of the control plane's processes and the keys of their ports.
const (
	etcdName      = "etcd"
	etcdPeerPort  = "etcd-peer"
	apiserverName = "kube-apiserver"
)

// How long each may take to end by itself. A killed etcd or API server loses nothing: etcd syncs every write.
const (
	etcdGrace      = 10 * time.Second
	apiserverGrace = 5 * time.Second
	kcmGrace       = 5 * time.Second
)

// completePath is healthy when the API server has made all of its default objects, servingPath as soon as it
// serves. The checks in between first sleep for a second and concern those who need default RBAC rules or priorities:
// the admin doesn't, so commands can begin, and providers are started when it is complete.
const (
	completePath = "/readyz"
	servingPath  = completePath + "?exclude=poststarthook/rbac/bootstrap-roles&exclude=poststarthook/scheduling/bootstrap-system-priority-classes"
)

// controllers are those that are needed without nodes: what owners leave behind, namespaces
// that are deleted, and the cluster roles that are the sum of others.
const controllers = "garbage-collector-controller,namespace-controller,clusterrole-aggregation-controller"

func (s *supervisor) etcd() *process {
	p := s.process(etcdName, etcdGrace)
	p.prepare = func(ctx context.Context) (command, error) {
		t, moved, err := ports.Free(ctx, s.dir, etcdName, etcdPeerPort)
		if err != nil {
			return command{}, err
		}
		if _, ok := moved[etcdName]; ok && s.apiserver != nil {
			s.apiserver.restart()
		}
		client, peer := "https://"+ports.Address(t[etcdName]), "https://"+ports.Address(t[etcdPeerPort])
		return command{
			dir: string(s.dir), env: s.env(), probe: s.probes.etcd(client),
			argv: []string{
				s.config.Etcd, "--name=bootstrap", "--data-dir=" + s.dir.Etcd(), "--log-level=warn",
				"--listen-client-urls=" + client, "--advertise-client-urls=" + client,
				"--listen-peer-urls=" + peer, "--initial-advertise-peer-urls=" + peer, "--initial-cluster=bootstrap=" + peer,
				"--client-cert-auth", "--trusted-ca-file=" + s.certs.file(etcdCAName+".crt"),
				"--cert-file=" + s.certs.file(etcdServer+".crt"), "--key-file=" + s.certs.file(etcdServer+".key"),
				"--peer-client-cert-auth", "--peer-trusted-ca-file=" + s.certs.file(etcdCAName+".crt"),
				"--peer-cert-file=" + s.certs.file(etcdPeer+".crt"), "--peer-key-file=" + s.certs.file(etcdPeer+".key"),
			},
		}, nil
	}
	return p
}

func (s *supervisor) kubeAPIServer() *process {
	p := s.process(apiserverName, apiserverGrace)
	p.prepare = func(ctx context.Context) (command, error) {
		t, moved, err := ports.Free(ctx, s.dir, apiserverName)
		if err != nil {
			return command{}, err
		}
		endpoint := "https://" + ports.Address(t[apiserverName])
		if err := s.publish(endpoint); err != nil {
			return command{}, err
		}
		if len(moved) > 0 {
			s.moved()
		}
		pki := s.certs.file
		return command{
			dir: string(s.dir), env: s.env(), probe: s.probes.apiserver(endpoint, servingPath), alive: s.probes.apiserver(endpoint, "/livez"),
			argv: []string{
				s.config.APIServer, "--bind-address=" + ports.Host, "--advertise-address=" + ports.Host,
				fmt.Sprintf("--secure-port=%d", t[apiserverName]),
				"--etcd-servers=https://" + ports.Address(t[etcdName]), "--etcd-cafile=" + pki(etcdCAName+".crt"),
				"--etcd-certfile=" + pki(etcdClient+".crt"), "--etcd-keyfile=" + pki(etcdClient+".key"),
				"--client-ca-file=" + pki(caName+".crt"), "--anonymous-auth=false", "--authorization-mode=RBAC",
				"--tls-cert-file=" + pki(servingName+".crt"), "--tls-private-key-file=" + pki(servingName+".key"),
				"--service-account-issuer=https://kubernetes.default.svc.cluster.local",
				"--service-account-key-file=" + pki(saName+".pub"), "--service-account-signing-key-file=" + pki(saName+".key"),
				"--service-cluster-ip-range=10.0.0.0/16", "--allow-privileged=true", "--profiling=false",
				// Nobody makes the default service accounts and their tokens here, and no pod could use them.
				"--disable-admission-plugins=ServiceAccount",
				// There is one API server, and its loopback address can't be an endpoint of the kubernetes Service.
				"--endpoint-reconciler-type=none",
			},
		}, nil
	}
	return p
}

func (s *supervisor) controllerManager() *process {
	p := s.process(kcmName, kcmGrace)
	p.prepare = func(ctx context.Context) (command, error) {
		t, _, err := ports.Free(ctx, s.dir, kcmName)
		if err != nil {
			return command{}, err
		}
		pki := s.certs.file
		return command{
			dir: string(s.dir), env: s.env(), probe: s.probes.https(fmt.Sprintf("https://%s/healthz", ports.Address(t[kcmName]))),
			argv: []string{
				s.config.ControllerManager, "--kubeconfig=" + s.kcmKubeconfig(), "--controllers=" + controllers,
				"--leader-elect=false", "--profiling=false",
				"--bind-address=" + ports.Host, fmt.Sprintf("--secure-port=%d", t[kcmName]),
				"--tls-cert-file=" + pki(servingName+".crt"), "--tls-private-key-file=" + pki(servingName+".key"),
				"--kube-api-qps=200", "--kube-api-burst=400",
			},
		}, nil
	}
	return p
}

func (s *supervisor) kcmKubeconfig() string { return filepath.Join(s.certs.dir, kcmName+".kubeconfig") }

// publish writes what others need to reach the API server, before it is there.
func (s *supervisor) publish(endpoint string) error {
	for user, file := range map[string]string{kcmName: s.kcmKubeconfig(), adminName: s.dir.Kubeconfig()} {
		if err := writeKubeconfig(file, s.dir.Name(), user, endpoint, s.certs.ca.PEM, s.certs.pairs[user]); err != nil {
			return err
		}
	}
	s.table.set(func(st *layout.Status) { st.Endpoint = endpoint })
	return nil
}
