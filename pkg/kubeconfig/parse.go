// SPDX-License-Identifier: Apache-2.0

package kubeconfig

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"net/url"

	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
)

// Parse reads a kubeconfig and proves that its current context can be used. Every
// error is a [*MalformedError].
func Parse(raw []byte) (*Kubeconfig, error) {
	if len(bytes.TrimSpace(raw)) == 0 {
		return nil, &MalformedError{Problem: Empty}
	}
	config, err := decode(raw)
	if err != nil {
		if decodesTwice(raw) {
			return nil, &MalformedError{Problem: EncodedTwice}
		}
		return nil, &MalformedError{Problem: NotKubeconfig, Detail: err.Error()}
	}
	if fault := checkCurrent(config); fault != nil {
		return nil, fault
	}
	return &Kubeconfig{Raw: raw, API: config}, nil
}

// decode reads raw the way kubectl does. Its errors are safe to show.
func decode(raw []byte) (*clientcmdapi.Config, error) {
	doc, err := parseDocument(raw)
	if err != nil {
		return nil, err
	}
	if kind := doc.scalar("kind"); kind != "" && kind != "Config" {
		return nil, fmt.Errorf("it is of kind %q, not Config", kind)
	}
	if doc.scalar("kind") == "" && doc.value("clusters") == nil {
		return nil, fmt.Errorf("it has neither kind Config nor clusters")
	}
	config, err := clientcmd.Load(raw)
	if err != nil {
		return nil, fmt.Errorf("%s", describe(err))
	}
	return config, nil
}

// decodesTwice recognises a value that somebody encoded by hand before it was put under data.
func decodesTwice(raw []byte) bool {
	text := bytes.Join(bytes.Fields(raw), nil)
	decoded, err := base64.StdEncoding.DecodeString(string(text))
	if err != nil {
		return false
	}
	_, err = decode(decoded)
	return err == nil
}

func checkCurrent(config *clientcmdapi.Config) *MalformedError {
	name := config.CurrentContext
	if name == "" {
		return &MalformedError{Problem: NoCurrentContext}
	}
	context := config.Contexts[name]
	if context == nil {
		return &MalformedError{Problem: Dangling, Detail: fmt.Sprintf("current-context is %q, but there is no such context", name)}
	}
	cluster := config.Clusters[context.Cluster]
	if cluster == nil {
		return &MalformedError{Problem: Dangling, Detail: fmt.Sprintf("context %q names cluster %q, which is not there", name, context.Cluster)}
	}
	if context.AuthInfo != "" && config.AuthInfos[context.AuthInfo] == nil {
		return &MalformedError{Problem: Dangling, Detail: fmt.Sprintf("context %q names user %q, which is not there", name, context.AuthInfo)}
	}
	if cluster.Server == "" {
		return &MalformedError{Problem: NoServer, Detail: fmt.Sprintf("cluster %q", context.Cluster)}
	}
	if address, err := url.Parse(cluster.Server); err != nil || address.Host == "" {
		return &MalformedError{Problem: NoServer, Detail: fmt.Sprintf("the server of cluster %q is not a URL", context.Cluster)}
	}
	return nil
}
