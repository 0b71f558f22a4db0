// SPDX-License-Identifier: Apache-2.0

package local

import (
	"errors"
	"fmt"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"github.com/clusterctl/clusterctl/pkg/bootstrap/local/internal/assets"
	"github.com/clusterctl/clusterctl/pkg/fault"
	"github.com/clusterctl/clusterctl/pkg/paths"
)

// The defaults of Options.
const (
	// DefaultName is the name of the bootstrap cluster that isn't given one.
	DefaultName = "bootstrap"
	// DefaultKubernetesVersion is the control plane version that is downloaded when none is asked for.
	DefaultKubernetesVersion = assets.DefaultKubernetesVersion
	// DefaultStartTimeout bounds a start after the binaries are there.
	DefaultStartTimeout = 2 * time.Minute
)

// maxDir keeps paths below every limit that a path has; the longest below the directory is some 150 bytes.
const maxDir = 3000

// Options say which bootstrap cluster, and where its parts are.
type Options struct {
	// Name names the bootstrap: a DNS label. Default: DefaultName.
	Name string
	// Dirs hold its state (Dirs.State/bootstraps/NAME) and the caches of binaries and images (Dirs.Cache).
	Dirs paths.Dirs
	// KubernetesVersion is the control plane's version, "v1.34.4". Default: DefaultKubernetesVersion.
	KubernetesVersion string
	// AssetsDir is searched first for etcd, kube-apiserver and kube-controller-manager
	// (--local-assets or KUBEBUILDER_ASSETS). Default: the cache, then the official downloads.
	AssetsDir string
	// Downloads say where binaries come from. Default: the official release pages.
	Downloads Downloads
	// Supervisor is the command that calls Supervise with the directory that is appended to it. Required for Ensure.
	Supervisor []string
	// Environ is the environment ("KEY=value") from which the supervisor gets what it needs:
	// PATH, HOME, the user's proxy and registry settings. Nothing else is passed on.
	Environ []string
	// StartTimeout bounds a start after the binaries are there. Default: DefaultStartTimeout.
	StartTimeout time.Duration

	// exact says that KubernetesVersion was given.
	exact bool
}

var dnsLabel = regexp.MustCompile(`^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$`)

// complete fills in defaults and refuses what can't work.
func (o Options) complete() (Options, error) {
	if o.Name == "" {
		o.Name = DefaultName
	}
	o.exact = o.KubernetesVersion != ""
	if !o.exact {
		o.KubernetesVersion = DefaultKubernetesVersion
	}
	if o.StartTimeout <= 0 {
		o.StartTimeout = DefaultStartTimeout
	}
	if err := ValidateName(o.Name); err != nil {
		return o, err
	}
	if !strings.HasPrefix(o.KubernetesVersion, "v") {
		o.KubernetesVersion = "v" + o.KubernetesVersion
	}
	if err := assets.ValidateVersion(o.KubernetesVersion); err != nil {
		return o, fault.WithCode(fault.Usage, err)
	}
	if o.Dirs.State == "" || o.Dirs.Cache == "" {
		return o, errors.New("use local bootstrap: no state or cache directory given")
	}
	for _, dir := range []string{o.Dirs.State, o.Dirs.Cache} {
		if !filepath.IsAbs(dir) {
			return o, fault.Usagef("use directory %q: the path must be absolute", dir)
		}
		if len(dir) > maxDir {
			return o, fault.Usagef("use directory %.40s…: the path has %d bytes, at most %d work", dir, len(dir), maxDir)
		}
	}
	return o, nil
}

// ValidateName says whether name can name a bootstrap cluster; the error has the class fault.Usage.
func ValidateName(name string) error {
	if dnsLabel.MatchString(name) {
		return nil
	}
	return fault.WithHint(
		fault.WithCode(fault.Usage, fmt.Errorf("use %q as the name of a bootstrap cluster: it must be a DNS label", name)),
		"use at most 63 lower-case letters, digits and '-', with a letter or digit at both ends")
}

// Downloads say where the control plane's programs come from; the zero value means the official release pages.
type Downloads = assets.Downloads
