// SPDX-License-Identifier: Apache-2.0

package kube

import (
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"

	"github.com/clusterctl/clusterctl/pkg/fault"
)

// namespaceFile is where a pod finds the namespace that it runs in.
const namespaceFile = "/var/run/secrets/kubernetes.io/serviceaccount/namespace"

// pickContext takes the wanted context, else the current one, else the only one.
func pickContext(raw *clientcmdapi.Config, wanted string, files []string) (string, error) {
	known := slices.Sorted(maps.Keys(raw.Contexts))
	list := strings.Join(known, ", ")
	where := strings.Join(files, ", ")
	switch {
	case len(known) == 0:
		return "", fmt.Errorf("read kubeconfig: %s has no contexts", where)
	case wanted != "" && raw.Contexts[wanted] == nil:
		return "", fmt.Errorf("no context %q in %s; there are: %s", wanted, where, list)
	case wanted != "":
		return wanted, nil
	case raw.CurrentContext != "" && raw.Contexts[raw.CurrentContext] == nil:
		return "", fmt.Errorf("current-context %q isn't in %s; there are: %s", raw.CurrentContext, where, list)
	case raw.CurrentContext != "":
		return raw.CurrentContext, nil
	case len(known) == 1:
		return known[0], nil
	}
	err := fmt.Errorf("no current-context in %s, and several to choose from: %s", where, list)
	return "", fault.WithHint(err, "name one of them as the context to use")
}

// fromContext makes the connection that a context describes.
func fromContext(raw *clientcmdapi.Config, name string) (*Config, error) {
	kctx := raw.Contexts[name]
	cluster := raw.Clusters[kctx.Cluster]
	switch {
	case cluster == nil:
		return nil, fault.Usagef("context %q of %s names cluster %q, which isn't there", name, kctx.LocationOfOrigin, kctx.Cluster)
	case cluster.Server == "":
		return nil, fault.Usagef("cluster %q of %s has no server", kctx.Cluster, cluster.LocationOfOrigin)
	case kctx.AuthInfo != "" && raw.AuthInfos[kctx.AuthInfo] == nil:
		return nil, fault.Usagef("context %q of %s names user %q, which isn't there", name, kctx.LocationOfOrigin, kctx.AuthInfo)
	}
	cc := clientcmd.NewNonInteractiveClientConfig(*raw, name, &clientcmd.ConfigOverrides{}, nil)
	cfg, err := cc.ClientConfig()
	if err != nil {
		return nil, fault.Usagef("context %q of %s can't be used: %w", name, kctx.LocationOfOrigin, err)
	}
	ns := kctx.Namespace
	if ns == "" {
		ns = metav1.NamespaceDefault
	}
	return &Config{REST: cfg, Namespace: ns, Context: name, Path: kctx.LocationOfOrigin, Raw: raw}, nil
}

// inCluster is the way of a pod, taken only where no kubeconfig is there at all.
func inCluster(src ConfigSource, files []string) (*Config, error) {
	getenv := src.Getenv
	if getenv == nil || src.Context != "" || getenv("KUBERNETES_SERVICE_HOST") == "" || getenv("KUBERNETES_SERVICE_PORT") == "" {
		return nil, noConfig(files)
	}
	cfg, err := rest.InClusterConfig()
	if err != nil {
		return nil, fmt.Errorf("use the pod's service account: %w", err)
	}
	ns := metav1.NamespaceDefault
	if data, err := os.ReadFile(namespaceFile); err == nil {
		ns = strings.TrimSpace(string(data))
	}
	return &Config{REST: cfg, Namespace: ns}, nil
}

func noConfig(files []string) error {
	err := ErrNoConfig
	if len(files) > 0 {
		err = fmt.Errorf("%w: looked for %s", ErrNoConfig, strings.Join(files, ", "))
	}
	return fault.WithCode(fault.Usage, fault.WithHint(err, "name a file with --kubeconfig or $KUBECONFIG"))
}
