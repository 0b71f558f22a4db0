// SPDX-License-Identifier: Apache-2.0

package flow

import (
	"fmt"

	"github.com/clusterctl/clusterctl/pkg/bootstrap"
	"github.com/clusterctl/clusterctl/pkg/bootstrap/existing"
	"github.com/clusterctl/clusterctl/pkg/bootstrap/local"
	"github.com/clusterctl/clusterctl/pkg/fault"
)

// Auto is the bootstrap type that lets ChooseBootstrap choose.
const Auto bootstrap.Type = "auto"

// BootstrapOptions say which cluster to bootstrap from.
type BootstrapOptions struct {
	// Type is auto, local or existing; empty is auto.
	Type bootstrap.Type
	// Name is the name of a bootstrap cluster of ours; empty is the name of the Cluster.
	Name string
	// Kubeconfig and Context name an existing cluster; an empty path means kubectl's rules.
	Kubeconfig string
	Context    string
	// AssetsDir is where the control plane's binaries are, for local; empty: cache, then download.
	AssetsDir string
	// KubernetesVersion is the version of a local control plane; empty is the default.
	KubernetesVersion string
}

// ChooseBootstrap decides which bootstrap cluster a run uses, and says why.
// It returns an error of class Usage if the options contradict each other.
func ChooseBootstrap(o BootstrapOptions, clusterName string) (BootstrapRecord, string, error) {
	why := ""
	if o.Type == "" || o.Type == Auto {
		o.Type, why = bootstrap.Local, "no bootstrap kubeconfig was given"
		if o.Kubeconfig != "" || o.Context != "" {
			o.Type, why = bootstrap.Existing, "a bootstrap kubeconfig was given"
		}
	}
	switch o.Type {
	case bootstrap.Existing:
		if o.Name != "" {
			return BootstrapRecord{}, "", fault.Usagef("--bootstrap-name names a bootstrap cluster of ours; it doesn't go with --bootstrap existing")
		}
		return BootstrapRecord{Type: bootstrap.Existing, Kubeconfig: o.Kubeconfig, Context: o.Context}, why, nil
	case bootstrap.Local:
		if o.Kubeconfig != "" || o.Context != "" {
			return BootstrapRecord{}, "", fault.WithHint(fault.Usagef("a bootstrap kubeconfig was given, but also --bootstrap local"),
				"leave one of them away")
		}
		name := o.Name
		if name == "" {
			name = clusterName
		}
		return BootstrapRecord{Type: bootstrap.Local, Name: name, Made: true}, why, nil
	}
	return BootstrapRecord{}, "", fault.Usagef("unknown bootstrap type %q: use auto, local or existing", o.Type)
}

// openBootstrap gives the bootstrap cluster of a record; it touches nothing.
func openBootstrap(rec BootstrapRecord, o BootstrapOptions, h Host) (bootstrap.Cluster, error) {
	switch rec.Type {
	case bootstrap.Existing:
		return existing.New(rec.Kubeconfig, rec.Context), nil
	case bootstrap.Local:
		c, err := local.New(local.Options{
			Name: rec.Name, Dirs: h.Dirs, KubernetesVersion: o.KubernetesVersion, AssetsDir: o.AssetsDir,
			Supervisor: h.Supervisor, Environ: h.Environ,
		})
		if err != nil {
			return nil, err
		}
		return c, nil
	}
	return nil, fmt.Errorf("this clusterctl doesn't know bootstrap clusters of type %q", rec.Type)
}

// describeBootstrap names a bootstrap cluster for people.
func describeBootstrap(rec BootstrapRecord) string {
	switch {
	case rec.Itself:
		return fmt.Sprintf("cluster itself (%s)", rec.Kubeconfig)
	case rec.Type != bootstrap.Existing:
		return fmt.Sprintf("%s bootstrap cluster %q", rec.Type, rec.Name)
	case rec.Context != "":
		return fmt.Sprintf("existing cluster (context %q)", rec.Context)
	case rec.Kubeconfig != "":
		return fmt.Sprintf("existing cluster (%s)", rec.Kubeconfig)
	}
	return "existing cluster (current context)"
}

// OpenLocal gives the local bootstrap cluster of a name; it touches nothing.
func OpenLocal(name string, o BootstrapOptions, h Host) (bootstrap.Cluster, error) {
	return openBootstrap(BootstrapRecord{Type: bootstrap.Local, Name: name}, o, h)
}
