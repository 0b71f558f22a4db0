// SPDX-License-Identifier: Apache-2.0

package kubeconfig

import (
	"bytes"

	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
)

// Kubeconfig is one usable kubeconfig: its current context, cluster and server are there.
type Kubeconfig struct {
	// Raw is the text exactly as it was read. [Kubeconfig.Bytes] is what to print.
	Raw []byte
	// API is Raw decoded. Changing it changes nothing else.
	API *clientcmdapi.Config
	// Namespace and Secret say where it was read; both are empty after [Parse].
	Namespace, Secret string
}

// Bytes returns the text with exactly one line break at its end.
func (k *Kubeconfig) Bytes() []byte {
	text := bytes.TrimRight(k.Raw, "\r\n")
	return append(bytes.Clone(text), '\n')
}

// Context returns the name of the current context.
func (k *Kubeconfig) Context() string { return k.API.CurrentContext }

// Server returns the address that the current context points to.
func (k *Kubeconfig) Server() string { return k.cluster().Server }

// context, cluster and user are what the current context consists of. Parse has
// proved the first two; a context without a user has no credentials.
func (k *Kubeconfig) context() *clientcmdapi.Context {
	return k.API.Contexts[k.API.CurrentContext]
}

func (k *Kubeconfig) cluster() *clientcmdapi.Cluster {
	return k.API.Clusters[k.context().Cluster]
}

func (k *Kubeconfig) user() *clientcmdapi.AuthInfo {
	if user := k.API.AuthInfos[k.context().AuthInfo]; user != nil {
		return user
	}
	return clientcmdapi.NewAuthInfo()
}
