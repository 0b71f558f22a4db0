// SPDX-License-Identifier: Apache-2.0

package testenv

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
)

const (
	adminToken   = "testenv-admin"
	readyTimeout = 3 * time.Minute // seconds on an idle machine, more where many tests start at once
	auditPolicy  = `apiVersion: audit.k8s.io/v1
kind: Policy
omitStages: [RequestReceived]
rules:
- level: Metadata
  verbs: [create, update, patch, delete, deletecollection]
- level: None
`
)

// prepare makes certificates, files and the port.
func (e *Env) prepare() error {
	var err error
	if e.ca, err = newAuthority("testenv"); err != nil {
		return err
	}
	if err := e.ca.writePKI(e.Dir); err != nil {
		return err
	}
	// The path of a unix socket is at most 104 bytes, shorter than the folder of a test can be.
	if e.socketDir, err = os.MkdirTemp("", "te"); err != nil {
		return fmt.Errorf("make folder for sockets: %w", err)
	}
	if e.port, err = reservePort(); err != nil {
		return err
	}
	e.REST = &rest.Config{
		Host:            fmt.Sprintf("https://127.0.0.1:%d", e.port.number),
		BearerToken:     adminToken,
		TLSClientConfig: rest.TLSClientConfig{CAData: e.ca.pem},
		QPS:             -1,
	}
	files := map[string]string{
		"tokens.csv": adminToken + ",testenv-admin,testenv-admin,system:masters\n",
		"audit.yaml": auditPolicy,
	}
	for name, data := range files {
		if err := os.WriteFile(filepath.Join(e.Dir, name), []byte(data), 0o600); err != nil {
			return fmt.Errorf("prepare test control plane: %w", err)
		}
	}
	return WriteKubeconfig(e.Kubeconfig, "testenv", e.REST)
}

func (e *Env) startEtcd() error {
	path, err := Binary("etcd")
	if err != nil {
		return err
	}
	// Port 0 and an unused advertised URL: clients come over the unix socket, peers there are none.
	e.etcd, err = startProcess(e.Dir, "etcd", path,
		"--data-dir="+filepath.Join(e.Dir, "etcd"),
		"--listen-client-urls=unix://"+e.socket(),
		"--advertise-client-urls=http://127.0.0.1:1",
		"--listen-peer-urls=http://127.0.0.1:0",
		"--unsafe-no-fsync", "--log-level=warn",
	)
	return err
}

func (e *Env) socket() string { return filepath.Join(e.socketDir, "etcd") }

func (e *Env) startAPIServer() error {
	path, err := Binary("kube-apiserver")
	if err != nil {
		return err
	}
	in := func(name string) string { return filepath.Join(e.Dir, name) }
	e.apiserver, err = startProcess(e.Dir, "kube-apiserver", path, append([]string{
		"--etcd-servers=unix://" + e.socket(),
		"--bind-address=127.0.0.1", "--advertise-address=127.0.0.1",
		fmt.Sprintf("--secure-port=%d", e.port.number), "--permit-port-sharing",
		"--cert-dir=" + e.Dir, "--tls-cert-file=" + in("server.crt"), "--tls-private-key-file=" + in("server.key"),
		"--client-ca-file=" + in("ca.crt"), "--token-auth-file=" + in("tokens.csv"), "--anonymous-auth=false",
		"--authorization-mode=RBAC", "--allow-privileged",
		"--service-account-issuer=https://testenv.local", "--service-account-key-file=" + in("sa.key"),
		"--service-account-signing-key-file=" + in("sa.key"), "--service-cluster-ip-range=10.111.0.0/24",
		"--disable-admission-plugins=ServiceAccount", "--enable-priority-and-fairness=false", "--profiling=false",
		"--endpoint-reconciler-type=none", // it would complain about the loopback address
		"--audit-policy-file=" + in("audit.yaml"), "--audit-log-path=" + e.AuditLog,
	}, e.opts.apiserverArgs...)...)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(context.Background(), readyTimeout)
	defer cancel()
	return e.waitReady(ctx)
}

func (e *Env) startControllerManager() error {
	path, err := Binary("kube-controller-manager")
	if err != nil {
		return err
	}
	args := []string{
		"--kubeconfig=" + e.Kubeconfig,
		"--controllers=garbage-collector-controller,namespace-controller,clusterrole-aggregation-controller",
		"--leader-elect=false", "--secure-port=0",
	}
	e.manager = &keeper{start: func() (*process, error) {
		return startProcess(e.Dir, "kube-controller-manager", path, args...)
	}}
	return e.manager.run()
}

// WriteKubeconfig writes a kubeconfig (0600) with one context, called name, that connects as cfg does.
func WriteKubeconfig(path, name string, cfg *rest.Config) error {
	kc := clientcmdapi.NewConfig()
	kc.Clusters[name] = &clientcmdapi.Cluster{Server: cfg.Host, CertificateAuthorityData: cfg.CAData}
	kc.AuthInfos[name] = &clientcmdapi.AuthInfo{
		Token: cfg.BearerToken, ClientCertificateData: cfg.CertData, ClientKeyData: cfg.KeyData,
	}
	kc.Contexts[name] = &clientcmdapi.Context{Cluster: name, AuthInfo: name, Namespace: "default"}
	kc.CurrentContext = name
	if err := clientcmd.WriteToFile(*kc, path); err != nil {
		return fmt.Errorf("write kubeconfig: %w", err)
	}
	return nil
}
