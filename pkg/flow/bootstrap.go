// SPDX-License-Identifier: Apache-2.0

package flow

import (
	"fmt"
	"path/filepath"
	"strings"

	"github.com/clusterctl/clusterctl/pkg/bootstrap"
	"github.com/clusterctl/clusterctl/pkg/bootstrap/kind"
	"github.com/clusterctl/clusterctl/pkg/bootstrap/local"
	"github.com/clusterctl/clusterctl/pkg/fault"
)

// Auto is the bootstrap type that lets ChooseBootstrap choose.
const Auto bootstrap.Type = "auto"

// BootstrapOptions say which cluster to bootstrap from.
type BootstrapOptions struct {
	// Type is auto, kind, local or existing; empty is auto.
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
	// Kind says how a kind cluster is made.
	Kind KindOptions
	// simulated says that the cluster's API server will be a part of its provider: one in a container can't be reached from here.
	simulated bool
}

// KindOptions say how a kind bootstrap cluster is made. The run record keeps them, with absolute paths.
type KindOptions struct {
	// Config is a kind configuration file, Image the node image; empty means kind's own.
	Config string `json:"config,omitempty"`
	Image  string `json:"image,omitempty"`
	// LoadImages are put on the nodes: names of images in the engine, or archive files.
	LoadImages []string `json:"loadImages,omitempty"`
	// MountEngineSocket puts the engine's socket into the nodes; the Docker infrastructure provider needs it.
	MountEngineSocket bool `json:"mountEngineSocket,omitempty"`
}

// over lays what is given now over what was recorded, with absolute paths.
func (k KindOptions) over(old KindOptions) (KindOptions, error) {
	out := old
	if k.Config != "" {
		path, err := filepath.Abs(k.Config)
		if err != nil {
			return out, err
		}
		out.Config = path
	}
	if k.Image != "" {
		out.Image = k.Image
	}
	if len(k.LoadImages) > 0 {
		out.LoadImages = nil
		for _, image := range k.LoadImages {
			if kind.IsArchive(image) {
				path, err := filepath.Abs(image)
				if err != nil {
					return out, err
				}
				image = path
			}
			out.LoadImages = append(out.LoadImages, image)
		}
	}
	out.MountEngineSocket = old.MountEngineSocket || k.MountEngineSocket
	return out, nil
}

// given says whether any flag for kind was given.
func (k KindOptions) given() bool { return k.Config != "" || k.Image != "" || len(k.LoadImages) > 0 }

// existing says whether the options mean an existing cluster.
func (o BootstrapOptions) existing() bool {
	return o.Type == bootstrap.Existing || o.auto() && (o.Kubeconfig != "" || o.Context != "")
}

func (o BootstrapOptions) auto() bool { return o.Type == "" || o.Type == Auto }

// ChooseBootstrap decides which bootstrap cluster a run uses, and says why.
// It returns an error of class Usage if the options contradict each other.
func ChooseBootstrap(o BootstrapOptions, clusterName string, h Host) (BootstrapRecord, string, error) {
	name := o.Name
	if name == "" {
		name = clusterName
	}
	why := ""
	if o.auto() {
		var err error
		if o.Type, why, err = chooseType(o, name, h); err != nil {
			return BootstrapRecord{}, "", err
		}
	}
	if o.Kind.given() && o.Type != bootstrap.Kind {
		return BootstrapRecord{}, "", fault.WithHint(fault.Usagef("--kind-config, --kind-image and --load-images are for a kind bootstrap cluster; this is of type %s", o.Type),
			"say --bootstrap kind, or leave them away")
	}
	switch o.Type {
	case bootstrap.Existing:
		if o.Name != "" {
			return BootstrapRecord{}, "", fault.Usagef("--bootstrap-name names a bootstrap cluster of ours; it doesn't go with --bootstrap existing")
		}
		return BootstrapRecord{Type: bootstrap.Existing, Kubeconfig: o.Kubeconfig, Context: o.Context}, why, nil
	case bootstrap.Local, bootstrap.Kind:
		if o.Kubeconfig != "" || o.Context != "" {
			return BootstrapRecord{}, "", fault.WithHint(fault.Usagef("--bootstrap-kubeconfig or --bootstrap-context was given, but also --bootstrap %s", o.Type),
				"leave one of them away: an existing bootstrap cluster is the one that has a kubeconfig")
		}
		return BootstrapRecord{Type: o.Type, Name: name, Made: true}, why, nil
	}
	return BootstrapRecord{}, "", fault.Usagef("unknown bootstrap type %q: use auto, kind, local or existing", o.Type)
}

// chooseType is what auto means: an existing cluster if one was named, else one of ours that has the name, else kind
// if a container engine answers, else local where that can run.
func chooseType(o BootstrapOptions, name string, h Host) (bootstrap.Type, string, error) {
	if o.existing() {
		return bootstrap.Existing, "a bootstrap kubeconfig was given", nil
	}
	if o.Kind.given() {
		return bootstrap.Kind, "options for kind were given", nil
	}
	there, err := typesOf(name, h.Dirs)
	if err != nil {
		return "", "", err
	}
	if len(there) == 1 {
		return there[0], "it is there already", nil
	}
	if o.simulated && local.Supported() == nil {
		return bootstrap.Local, "a simulated cluster can be reached where its provider runs, which must be this host", nil
	}
	if h.Engine == nil {
		return bootstrap.Local, "no bootstrap kubeconfig was given", nil
	}
	engine, err := h.Engine()
	if err == nil {
		return bootstrap.Kind, fmt.Sprintf("no bootstrap kubeconfig was given, and %s answers", engine), nil
	}
	if local.Supported() != nil {
		return "", "", err
	}
	reason, _, _ := strings.Cut(err.Error(), "\n")
	return bootstrap.Local, "no bootstrap kubeconfig was given, and no container engine can be used: " + reason, nil
}

// openBootstrap gives the bootstrap cluster of a record; it touches nothing.
func openBootstrap(rec BootstrapRecord, o BootstrapOptions, h Host) (bootstrap.Cluster, error) {
	switch rec.Type {
	case bootstrap.Existing:
		return openExisting(rec, h)
	case bootstrap.Kind:
		c, err := kind.New(kind.Options{
			Name: rec.Name, Dirs: h.Dirs, ConfigFile: o.Kind.Config, Image: o.Kind.Image, LoadImages: o.Kind.LoadImages,
			MountEngineSocket: o.Kind.MountEngineSocket, Getenv: h.Getenv,
		})
		if err != nil {
			return nil, err
		}
		return c, nil
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
	case rec.Context != "" && rec.Kubeconfig != "":
		return fmt.Sprintf("existing cluster (context %q of %s)", rec.Context, rec.Kubeconfig)
	case rec.Context != "":
		return fmt.Sprintf("existing cluster (context %q)", rec.Context)
	case rec.Kubeconfig != "":
		return fmt.Sprintf("existing cluster (%s)", rec.Kubeconfig)
	}
	return "existing cluster (current context)"
}
