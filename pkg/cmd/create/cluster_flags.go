// SPDX-License-Identifier: Apache-2.0

package create

import (
	"time"

	"github.com/spf13/cobra"

	"github.com/clusterctl/clusterctl/pkg/bootstrap"
	"github.com/clusterctl/clusterctl/pkg/bootstrap/local"
	"github.com/clusterctl/clusterctl/pkg/cmd/cmdutil"
	"github.com/clusterctl/clusterctl/pkg/fault"
	"github.com/clusterctl/clusterctl/pkg/flow"
	"github.com/clusterctl/clusterctl/pkg/ui"
)

// DefaultTimeout is the time that create cluster has for everything.
const DefaultTimeout = 30 * time.Minute

// ClusterFlags are the flags that describe a cluster to create.
type ClusterFlags struct {
	namespace     string
	inputs        flow.Inputs
	bootstrap     flow.BootstrapOptions
	controlPlanes int64
	workers       int64
	set           []string
	pivot         bool
	identity      string
	timeout       time.Duration
	dryRun        bool
	output        ui.Format

	// What the first clusterctl called otherwise.
	addonComponents     []string
	bootstrapType       string
	bootstrapKubeconfig string
	bootstrapFlags      []string
	bootstrapCleanup    bool
}

// AddFlags adds the flags to a command.
func (o *ClusterFlags) AddFlags(cmd *cobra.Command, f *cmdutil.Factory) {
	o.addClusterFlags(cmd, f)
	o.addProviderFlags(cmd)
	o.addBootstrapFlags(cmd, f)
	o.addLegacyFlags(cmd)
	cmdutil.TimeoutVar(cmd.Flags(), &o.timeout, DefaultTimeout)
}

func (o *ClusterFlags) addClusterFlags(cmd *cobra.Command, f *cmdutil.Factory) {
	fl := cmd.Flags()
	fl.StringVarP(&o.namespace, "namespace", "n", "", "namespace of the cluster's objects (default: that of the kubeconfig context, else default)")
	fl.StringVarP(&o.inputs.Infrastructure, "infrastructure", "i", "", "infrastructure provider, NAME or NAME:VERSION")
	fl.StringVar(&o.inputs.Flavor, "flavor", "", "flavor of the provider's cluster template")
	fl.StringVar(&o.inputs.KubernetesVersion, "kubernetes-version", "", "Kubernetes version of the cluster (default: KUBERNETES_VERSION, else "+flow.DefaultKubernetesVersion+")")
	fl.Int64Var(&o.controlPlanes, "control-plane-machine-count", 0, "number of control plane machines (default: CONTROL_PLANE_MACHINE_COUNT, else 1)")
	fl.Int64Var(&o.workers, "worker-machine-count", 0, "number of worker machines (default: WORKER_MACHINE_COUNT, else 0)")
	fl.StringArrayVarP(&o.inputs.Files, "filename", "f", nil, "file, folder or URL with the cluster's objects, - for standard input (repeatable)")
	fl.StringArrayVar(&o.set, "set", nil, "value of a template variable, NAME=VALUE (repeatable; others see it in the process list: give secrets by the environment)")
	fl.StringArrayVarP(&o.inputs.AddonFiles, "addons", "a", nil, "file, folder or URL applied to the cluster once its API answers, for example a CNI (repeatable)")
	fl.StringVar(&o.inputs.KubeconfigOut, "kubeconfig-out", "", "file for the cluster's kubeconfig (default: NAME.kubeconfig)")
	fl.StringVar(&o.inputs.Backup, "from-backup", "", "bring the cluster of a backup under management again: a `FOLDER` that move --to-directory wrote, or a move's snapshot")
	fl.StringVar(&o.identity, "identity", "", "`FILE` with the age or SSH private key that decrypts the backup's Secrets")
	fl.BoolVar(&o.pivot, "pivot", false, "move the cluster's objects into the cluster itself (default: where it can hold controllers and the bootstrap cluster is ours)")
	fl.Lookup("pivot").DefValue = ""
	fl.BoolVar(&o.inputs.KeepBootstrap, "keep-bootstrap", false, "keep the bootstrap cluster after the pivot")
	fl.BoolVar(&o.inputs.KeepProviders, "keep-providers", false, "leave on an existing bootstrap cluster what is installed there for this cluster, also when nothing needs it any more")
}

func (o *ClusterFlags) addProviderFlags(cmd *cobra.Command) {
	fl := cmd.Flags()
	fl.StringVar(&o.inputs.Core, "core", "", "core provider (default cluster-api)")
	fl.StringArrayVar(&o.inputs.BootstrapProviders, "bootstrap-provider", nil, "bootstrap provider, - for none (default kubeadm; repeatable)")
	fl.StringArrayVar(&o.inputs.ControlPlanes, "control-plane-provider", nil, "control plane provider, - for none (default kubeadm; repeatable)")
	fl.StringArrayVar(&o.inputs.IPAMs, "ipam", nil, "IPAM provider (repeatable)")
	fl.StringArrayVar(&o.inputs.RuntimeExtensions, "runtime-extension", nil, "runtime extension provider (repeatable)")
	cmdutil.WebhookCertsVar(cmd, &o.inputs.WebhookCerts)
	fl.StringArrayVar(&o.inputs.Addons, "addon-provider", nil, "addon provider (repeatable)")
}

func (o *ClusterFlags) addBootstrapFlags(cmd *cobra.Command, f *cmdutil.Factory) {
	fl := cmd.Flags()
	cmdutil.EnumVar(cmd, &o.bootstrap.Type, "bootstrap", "", "", []bootstrap.Type{flow.Auto, bootstrap.Kind, bootstrap.Local, bootstrap.Existing},
		"bootstrap cluster (default auto: existing if a kubeconfig is given, else kind if a container engine answers, else local)")
	cmdutil.KindVars(fl, &o.bootstrap.Kind)
	fl.StringVarP(&o.bootstrap.Kubeconfig, "bootstrap-kubeconfig", "e", "", "kubeconfig of an existing cluster to bootstrap from")
	fl.StringVar(&o.bootstrap.Context, "bootstrap-context", "", "context of that kubeconfig")
	fl.StringVar(&o.bootstrap.Name, "bootstrap-name", "", "name of the bootstrap cluster; clusters that give the same name share it (default: NAME)")
	fl.StringVar(&o.bootstrap.AssetsDir, "local-assets", f.Getenv("KUBEBUILDER_ASSETS"), "folder with etcd, kube-apiserver and kube-controller-manager for a local bootstrap cluster (env KUBEBUILDER_ASSETS; default: cache, then download)")
	fl.Lookup("local-assets").DefValue = ""
	fl.StringVar(&o.bootstrap.KubernetesVersion, "bootstrap-kubernetes-version", "", "Kubernetes version of a local bootstrap cluster (default "+local.DefaultKubernetesVersion+")")
}

// addLegacyFlags adds the flags of the first clusterctl (v0.2).
func (o *ClusterFlags) addLegacyFlags(cmd *cobra.Command) {
	fl := cmd.Flags()
	fl.StringVarP(&o.inputs.ClusterFile, "cluster", "c", "", "v0.2: file with the Cluster and what it refers to")
	fl.StringVarP(&o.inputs.MachinesFile, "machines", "m", "", "v0.2: file with the Machines and what they refer to")
	fl.StringVarP(&o.inputs.ProviderComponents, "provider-components", "p", "", "v0.2: file with the providers' CRDs and controllers")
	fl.StringVar(&o.inputs.BootstrapOnlyComponents, "bootstrap-only-components", "", "v0.2: file applied to the bootstrap cluster before the providers")
	fl.StringArrayVar(&o.addonComponents, "addon-components", nil, "v0.2: the same as --addons")
	fl.StringVar(&o.bootstrapType, "bootstrap-type", "", "v0.2: the same as --bootstrap; none means auto")
	fl.StringVar(&o.bootstrapKubeconfig, "bootstrap-cluster-kubeconfig", "", "v0.2: the same as --bootstrap-kubeconfig")
	fl.StringArrayVar(&o.bootstrapFlags, "bootstrap-flags", nil, "v0.2: flags for kind or minikube")
	fl.BoolVar(&o.bootstrapCleanup, "bootstrap-cluster-cleanup", true, "v0.2: accepted; a bootstrap cluster that manages clusters is never cleaned up")
	for _, name := range []string{"addon-components", "bootstrap-type", "bootstrap-cluster-kubeconfig", "bootstrap-flags", "bootstrap-cluster-cleanup"} {
		_ = fl.MarkHidden(name)
	}
}

// legacy translates the flags of the first clusterctl.
func (o *ClusterFlags) legacy() error {
	if len(o.bootstrapFlags) > 0 {
		return fault.WithHint(fault.Usagef("--bootstrap-flags are for the programs kind and minikube, which this version doesn't start"),
			"say it in a kind configuration: --bootstrap kind --kind-config FILE")
	}
	o.inputs.AddonFiles = append(o.inputs.AddonFiles, o.addonComponents...)
	if o.bootstrapKubeconfig != "" {
		o.bootstrap.Kubeconfig = o.bootstrapKubeconfig
	}
	switch o.bootstrapType {
	case "":
	case "none":
		o.bootstrap.Type = flow.Auto
	case string(bootstrap.Kind), string(bootstrap.Local), string(bootstrap.Existing):
		o.bootstrap.Type = bootstrap.Type(o.bootstrapType)
	default:
		return fault.WithHint(fault.Usagef("--bootstrap-type %q: this version doesn't start such a bootstrap cluster", o.bootstrapType),
			"use --bootstrap kind or local, or start it yourself and give --bootstrap-kubeconfig")
	}
	return nil
}

// Timeout is the time that was given for everything.
func (o *ClusterFlags) Timeout() time.Duration { return o.timeout }
