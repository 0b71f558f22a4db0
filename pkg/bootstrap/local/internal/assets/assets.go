// SPDX-License-Identifier: Apache-2.0

// Package assets finds the programs of a control plane: in a directory that the user
// names, in the cache, or on the official release pages.
package assets

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/clusterctl/clusterctl/pkg/event"
	"github.com/clusterctl/clusterctl/pkg/fault"
)

// The versions that are downloaded when no other is asked for. etcd's goes with all of Kubernetes' versions.
const (
	DefaultKubernetesVersion = "v1.34.4"
	EtcdVersion              = "v3.6.5"
)

// The programs.
const (
	Etcd              = "etcd"
	APIServer         = "kube-apiserver"
	ControllerManager = "kube-controller-manager"
)

// Downloads say where programs come from; the zero value means the official release pages.
type Downloads struct {
	// Kubernetes is the base URL of VERSION/bin/linux/ARCH/PROGRAM and PROGRAM.sha256. Default: https://dl.k8s.io.
	Kubernetes string
	// Etcd is the base URL of VERSION/etcd-VERSION-linux-ARCH.tar.gz and VERSION/SHA256SUMS.
	// Default: https://github.com/etcd-io/etcd/releases/download.
	Etcd string
}

// Request says what is needed.
type Request struct {
	// Version is Kubernetes' version. Exact says that it was asked for: another one in Dir won't do.
	Version string
	Exact   bool
	// Dir is searched first; it may be empty.
	Dir string
	// Cache is the directory of programs by version; downloads go there.
	Cache string
	// Downloads say where the rest comes from.
	Downloads Downloads
}

// Paths are the programs' files.
type Paths struct {
	Etcd, APIServer, ControllerManager string
	// Version is Kubernetes' version.
	Version string
}

var version = regexp.MustCompile(`^v\d{1,3}\.\d{1,3}\.\d{1,3}(-[0-9A-Za-z.-]{1,40})?$`)

// ValidateVersion says whether s can be a version of Kubernetes; it becomes part of paths and URLs.
func ValidateVersion(s string) error {
	if version.MatchString(s) {
		return nil
	}
	return fmt.Errorf("use Kubernetes version %q: it must look like %s", s, DefaultKubernetesVersion)
}

// CheckDir says whether a folder that the user named can hold the programs at all: it returns an error of class Usage where it isn't one.
func CheckDir(dir string) error {
	if info, err := os.Stat(dir); err != nil || !info.IsDir() {
		return fault.WithHint(fault.Usagef("use local assets %s: not a directory", dir),
			"--local-assets and KUBEBUILDER_ASSETS name a folder with etcd, kube-apiserver and kube-controller-manager; without them they come from the cache, or are downloaded")
	}
	return nil
}

// Find finds all programs and downloads those that are nowhere on this host.
func Find(ctx context.Context, r Request, sink event.Sink) (Paths, error) {
	if err := ValidateVersion(r.Version); err != nil {
		return Paths{}, err
	}
	if r.Dir != "" {
		if err := CheckDir(r.Dir); err != nil {
			return Paths{}, err
		}
	}
	var p Paths
	g, gctx := errgroup.WithContext(ctx)
	for name, path := range map[string]*string{Etcd: &p.Etcd, APIServer: &p.APIServer, ControllerManager: &p.ControllerManager} {
		g.Go(func() (err error) {
			*path, err = find(gctx, r, name, sink)
			return err
		})
	}
	if err := g.Wait(); err != nil {
		return Paths{}, explain(ctx, r, err)
	}
	if p.Version = r.Version; r.Dir == "" {
		return p, nil
	}
	var err error
	p.Version, err = r.checkVersion(ctx, p.APIServer)
	return p, err
}

// checkVersion asks a program that the user brought along which version it is.
func (r Request) checkVersion(ctx context.Context, program string) (string, error) {
	within, stop := context.WithTimeout(ctx, 10*time.Second)
	defer stop()
	out, err := exec.CommandContext(within, program, "--version").Output()
	found := ""
	if fields := strings.Fields(string(out)); len(fields) > 0 {
		found = fields[len(fields)-1]
	}
	switch {
	case err != nil || !version.MatchString(found):
		if ctx.Err() != nil {
			return "", ctx.Err()
		}
		return r.Version, nil // Whether it runs at all is seen when it is started.
	case r.Exact && found != r.Version:
		return "", fault.WithHint(fault.Refusedf("Kubernetes %s was asked for, but %s is %s", r.Version, program, found),
			"leave --bootstrap-kubernetes-version away, or --local-assets and KUBEBUILDER_ASSETS")
	}
	return found, nil
}

func find(ctx context.Context, r Request, name string, sink event.Sink) (string, error) {
	cached := filepath.Join(r.cacheDir(name), name)
	candidates := []string{cached}
	if r.Dir != "" {
		candidates = []string{filepath.Join(r.Dir, name), cached}
	}
	for _, path := range candidates {
		info, err := os.Stat(path)
		switch {
		case errors.Is(err, os.ErrNotExist):
			continue
		case err != nil:
			return "", err
		case !info.Mode().IsRegular() || info.Mode().Perm()&0o111 == 0:
			return "", fmt.Errorf("use %s: not an executable file", path)
		}
		return filepath.Abs(path)
	}
	event.Progressf(sink, "bootstrap-binaries", "downloading %s", name)
	return cached, download(ctx, r, name, cached)
}

// cacheDir keeps versions and architectures apart; the cache may be on a shared home.
func (r Request) cacheDir(name string) string {
	if name == Etcd {
		return filepath.Join(r.Cache, "etcd", EtcdVersion, runtime.GOARCH)
	}
	return filepath.Join(r.Cache, "kubernetes", r.Version, runtime.GOARCH)
}

func (d Downloads) kubernetes() string {
	if d.Kubernetes != "" {
		return strings.TrimSuffix(d.Kubernetes, "/")
	}
	return "https://dl.k8s.io"
}

func (d Downloads) etcd() string {
	if d.Etcd != "" {
		return strings.TrimSuffix(d.Etcd, "/")
	}
	return "https://github.com/etcd-io/etcd/releases/download"
}

// explain adds what can be done about a program that can't be had.
func explain(ctx context.Context, r Request, err error) error {
	if ctx.Err() != nil || errors.Is(err, ErrChecksum) {
		return err
	}
	err = fmt.Errorf("get control plane %s: %w", r.Version, err)
	if fault.CodeOf(err) == fault.Failed {
		err = fault.WithCode(fault.Refused, err)
	}
	return fault.WithHint(err, "give a directory that holds %s, %s and %s: --local-assets DIR or KUBEBUILDER_ASSETS=DIR",
		Etcd, APIServer, ControllerManager)
}
