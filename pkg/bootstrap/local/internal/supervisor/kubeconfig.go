// SPDX-License-Identifier: Apache-2.0

package supervisor

import (
	"github.com/clusterctl/clusterctl/pkg/atomicfile"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"

	"github.com/clusterctl/clusterctl/pkg/pki"
)

// writeKubeconfig writes a kubeconfig of mode 0600 that holds everything in itself.
func writeKubeconfig(file, cluster, user, server string, ca []byte, pair pki.Pair) error {
	name := user + "@" + cluster
	cfg := clientcmdapi.NewConfig()
	cfg.Clusters[cluster] = &clientcmdapi.Cluster{Server: server, CertificateAuthorityData: ca}
	cfg.AuthInfos[name] = &clientcmdapi.AuthInfo{ClientCertificateData: pair.Cert, ClientKeyData: pair.Key}
	cfg.Contexts[name] = &clientcmdapi.Context{Cluster: cluster, AuthInfo: name}
	cfg.CurrentContext = name
	data, err := clientcmd.Write(*cfg)
	if err != nil {
		return err
	}
	return atomicfile.Write(file, data, 0o600)
}
