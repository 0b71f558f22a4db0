// SPDX-License-Identifier: Apache-2.0

package kubeconfig

import (
	"fmt"

	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"

	"github.com/clusterctl/clusterctl/pkg/fault"
)

// RESTConfig makes a client configuration out of the current context. A kubeconfig that
// came out of a Secret was written by somebody else: one that would run a program
// or read local files here is refused.
func (k *Kubeconfig) RESTConfig() (*rest.Config, error) {
	if what := k.local(); what != "" {
		return nil, fault.WithHint(fault.Refusedf("use kubeconfig of context %q: it uses %s of this machine", k.Context(), what),
			"use the internal kubeconfig (--internal), or name a kubeconfig file of your own")
	}
	config, err := clientcmd.NewDefaultClientConfig(*k.API, nil).ClientConfig()
	if err != nil {
		return nil, fmt.Errorf("use kubeconfig of context %q: its entries can't be combined into a client configuration", k.Context())
	}
	return config, nil
}

// local names what the current context would use of the machine that it is used on.
func (k *Kubeconfig) local() string {
	user, cluster := k.user(), k.cluster()
	switch {
	case user.Exec != nil:
		return "the program " + user.Exec.Command
	case user.AuthProvider != nil:
		return "the login plugin " + user.AuthProvider.Name
	case user.TokenFile != "":
		return "a token file"
	case user.ClientCertificate != "" && len(user.ClientCertificateData) == 0:
		return "a client certificate file"
	case user.ClientKey != "" && len(user.ClientKeyData) == 0:
		return "a client key file"
	case cluster.CertificateAuthority != "" && len(cluster.CertificateAuthorityData) == 0:
		return "a CA file"
	}
	return ""
}
