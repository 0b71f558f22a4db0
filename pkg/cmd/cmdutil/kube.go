// SPDX-License-Identifier: Apache-2.0

package cmdutil

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/clusterctl/clusterctl/pkg/event"
	"github.com/clusterctl/clusterctl/pkg/kube"
)

// KubeFlags say which API server a command talks to.
type KubeFlags struct {
	// Kubeconfig is a file; empty means kubectl's rules.
	Kubeconfig string
	// Context is a context of it; empty means the current one.
	Context string
	// Namespace is that of the context where it is empty.
	Namespace string
	// Unlimited has no limit of requests per second, for what finds out itself how much a server takes.
	Unlimited bool
}

// AddFlags adds --kubeconfig and --kubeconfig-context.
func (k *KubeFlags) AddFlags(cmd *cobra.Command, f *Factory) {
	cmd.Flags().StringVar(&k.Kubeconfig, "kubeconfig", "",
		"kubeconfig `FILE` of the management cluster (default: the files of $KUBECONFIG, else ~/.kube/config)")
	cmd.Flags().StringVar(&k.Context, "kubeconfig-context", "", "`CONTEXT` of the kubeconfig (default: the current one)")
	_ = cmd.MarkFlagFilename("kubeconfig")
	_ = cmd.RegisterFlagCompletionFunc("kubeconfig-context", CompleteFlag(func(context.Context, *cobra.Command) ([]string, error) {
		return kube.Contexts(k.source(f))
	}))
}

// AddNamespace adds -n/--namespace.
func (k *KubeFlags) AddNamespace(cmd *cobra.Command, f *Factory) {
	cmd.Flags().StringVarP(&k.Namespace, "namespace", "n", "", "`NAMESPACE` of the cluster (default: that of the context)")
	_ = cmd.RegisterFlagCompletionFunc("namespace", CompleteFlag(f.listNamespaces(k)))
}

func (k *KubeFlags) source(f *Factory) kube.ConfigSource {
	return kube.ConfigSource{Path: k.Kubeconfig, Context: k.Context, Getenv: f.Getenv}
}

// kubeClient connects to the server that flags name; nothing is sent yet. --namespace wins over that of the context.
func (f *Factory) kubeClient(_ context.Context, flags KubeFlags) (*kube.Client, *kube.Config, error) {
	cfg, err := kube.LoadConfig(flags.source(f))
	if err != nil {
		return nil, nil, err
	}
	if flags.Namespace != "" {
		cfg.Namespace = flags.Namespace
	}
	opts := kube.Options{UserAgent: f.UserAgent(), Sink: f.View()}
	if flags.Unlimited {
		opts.QPS = -1
	}
	c, err := kube.New(cfg.REST, opts)
	if err != nil {
		return nil, nil, err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.clients = append(f.clients, c)
	return c, cfg, nil
}

// UserAgent is how logs of servers call this program.
func (f *Factory) UserAgent() string { return "clusterctl/" + f.Version().Version }

// Close ends the connections that Kube made and shows what the servers warned about, each text once.
func (f *Factory) Close() {
	f.mu.Lock()
	defer f.mu.Unlock()
	shown := map[string]bool{}
	for _, c := range f.clients {
		c.Close()
		for _, w := range c.Warnings() {
			if !shown[w] {
				event.Warnf(f.View(), "%s: %s", c.Host(), w)
			}
			shown[w] = true
		}
	}
	f.clients = nil
}
