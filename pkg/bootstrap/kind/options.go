// SPDX-License-Identifier: Apache-2.0

package kind

import (
	"errors"
	"fmt"
	"path/filepath"
	"regexp"
	"time"

	"sigs.k8s.io/kind/pkg/apis/config/defaults"

	"github.com/clusterctl/clusterctl/pkg/fault"
	"github.com/clusterctl/clusterctl/pkg/paths"
)

// The defaults of Options.
const (
	// DefaultName is the name of the bootstrap cluster that isn't given one.
	DefaultName = "bootstrap"
	// DefaultImage is the node image that kind's library was released with.
	DefaultImage = defaults.Image
	// DefaultStartTimeout bounds the wait for the API server and the nodes once the containers are there.
	DefaultStartTimeout = 5 * time.Minute
)

// Options say which bootstrap cluster, and how to make it.
type Options struct {
	// Name names the bootstrap: a DNS label. Default: DefaultName.
	Name string
	// Dirs hold its record and kubeconfig (Dirs.State/kind/NAME).
	Dirs paths.Dirs
	// ConfigFile is a kind configuration; its name is not used. Empty means one node.
	ConfigFile string
	// Image is the node image, over what ConfigFile says. Default: that of ConfigFile, else DefaultImage.
	Image string
	// LoadImages are put on every node: names of images in the engine, or archive files.
	LoadImages []string
	// MountEngineSocket puts the engine's socket into the nodes. Cluster API's Docker provider needs it; whoever may run a pod
	// with a host path in the cluster has the engine then.
	MountEngineSocket bool
	// Retain leaves the containers of a cluster that couldn't be made, to be looked at; the next Ensure or Delete removes them.
	Retain bool
	// StartTimeout bounds the wait for API server and nodes. Default: DefaultStartTimeout.
	StartTimeout time.Duration
	// Getenv reads KIND_EXPERIMENTAL_PROVIDER and DOCKER_HOST; nil means that the environment is empty.
	Getenv func(string) string
}

var dnsLabel = regexp.MustCompile(`^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$`)

// ValidateName says whether name can name a bootstrap cluster; the error has the class fault.Usage.
func ValidateName(name string) error {
	if dnsLabel.MatchString(name) {
		return nil
	}
	return fault.WithHint(
		fault.WithCode(fault.Usage, fmt.Errorf("use %q as the name of a bootstrap cluster: it must be a DNS label", name)),
		"use at most 63 lower-case letters, digits and '-', with a letter or digit at both ends")
}

// complete fills in defaults and refuses what can't work.
func (o Options) complete() (Options, error) {
	if o.Name == "" {
		o.Name = DefaultName
	}
	if o.StartTimeout <= 0 {
		o.StartTimeout = DefaultStartTimeout
	}
	if o.Getenv == nil {
		o.Getenv = func(string) string { return "" }
	}
	if err := ValidateName(o.Name); err != nil {
		return o, err
	}
	if o.Dirs.State == "" {
		return o, errors.New("use kind bootstrap: no state directory given")
	}
	if !filepath.IsAbs(o.Dirs.State) {
		return o, fault.Usagef("use directory %q: the path must be absolute", o.Dirs.State)
	}
	return o, nil
}
