// SPDX-License-Identifier: Apache-2.0

package pod

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"path/filepath"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
)

// Pod is the pod of one Deployment on this host.
type Pod struct {
	// Deployment is the Deployment that it stands for.
	Deployment *appsv1.Deployment
	// Dir is its private directory.
	Dir string
	// IP is the loopback address that it is told to be its own.
	IP string
	// Kubeconfig is the file by which its processes reach the API server.
	Kubeconfig string
	// Reader reads what its volumes and environment refer to.
	Reader Reader
	// Ports are the host's ports by container port.
	Ports map[int]int
	// Promised are the container ports whose host ports others were told, so that nothing else will do.
	Promised map[int]string
	// NewPort gives a host port for a listener that no container port declares; flag says which.
	NewPort func(flag string) (int, error)
}

// Reader reads ConfigMaps and Secrets; what isn't there gives an error that is ErrNotFound.
type Reader interface {
	Secret(ctx context.Context, namespace, name string) (map[string][]byte, error)
	ConfigMap(ctx context.Context, namespace, name string) (map[string][]byte, error)
}

// Errors.
var (
	// ErrNotFound says that a ConfigMap or Secret isn't there (yet).
	ErrNotFound = errors.New("not found")
	// ErrUnsupported says that a Deployment asks for something that only a real pod has.
	ErrUnsupported = errors.New("unsupported in a local bootstrap cluster")
)

// Check refuses pods that can't be run as processes.
func Check(t *corev1.PodTemplateSpec) error {
	if len(t.Spec.InitContainers) > 0 {
		return fmt.Errorf("%w: it has init containers", ErrUnsupported)
	}
	if len(t.Spec.Containers) == 0 {
		return fmt.Errorf("%w: it has no containers", ErrUnsupported)
	}
	return nil
}

// Name is the name of the pod.
func (p *Pod) Name() string { return p.Deployment.Name + "-local" }

func (p *Pod) spec() *corev1.PodSpec { return &p.Deployment.Spec.Template.Spec }

// ServiceAccount is the account that it runs as.
func ServiceAccount(d *appsv1.Deployment) string {
	if name := d.Spec.Template.Spec.ServiceAccountName; name != "" {
		return name
	}
	return "default"
}

// tmp is what its processes get as the directory for temporary files.
func (p *Pod) tmp() string { return filepath.Join(p.Dir, "tmp") }

// Process is what is to be started for one container.
type Process struct {
	// Argv is the command line.
	Argv []string
	// Env is the environment.
	Env []string
	// Ports are the host's ports by container port, of those that the process was told to use.
	Ports map[int]int
}

// Image is what a container's image contributes.
type Image struct {
	// Start starts the program.
	Start []string
	// Args are the program's arguments as image and container say.
	Args []string
	// Env is the image's environment.
	Env []string
	// Flags are the flags that the program knows, with defaults; empty if that isn't known.
	Flags map[string]string
}

// Process fills in a container's command line and environment. Volumes must have been called before.
func (p *Pod) Process(ctx context.Context, c *corev1.Container, img Image) (Process, error) {
	vars, err := p.environment(ctx, c, img.Env)
	if err != nil {
		return Process{}, err
	}
	mounts := p.mounts(c)
	args := make([]string, len(img.Args))
	for i, a := range img.Args {
		args[i] = Expand(a, vars)
	}
	for name, value := range vars {
		vars[name] = mounts.replace(value)
	}
	maps.Copy(vars, p.own())
	a := arguments{flags: img.Flags, ports: p.Ports, mounts: mounts, newPort: p.NewPort, used: map[int]int{}}
	args, err = a.rewrite(args, p.Kubeconfig)
	if err != nil {
		return Process{}, err
	}
	if err := p.kept(c, a.used); err != nil {
		return Process{}, err
	}
	return Process{Argv: append(append([]string(nil), img.Start...), args...), Env: list(vars), Ports: a.used}, nil
}

// own is the part of the environment that the pod can't choose.
func (p *Pod) own() map[string]string {
	return map[string]string{"KUBECONFIG": p.Kubeconfig, "TMPDIR": p.tmp(), "HOME": p.Dir}
}

// kept makes sure that a port that others were told is one that the program was told, too.
func (p *Pod) kept(c *corev1.Container, used map[int]int) error {
	for port, what := range p.Promised {
		if _, ok := used[port]; ok || !declares(c, port) && len(p.spec().Containers) > 1 {
			continue
		}
		return fmt.Errorf("%w: its program has no flag for port %d (%s), so it can't listen elsewhere", ErrUnsupported, port, what)
	}
	return nil
}

func declares(c *corev1.Container, port int) bool {
	for _, p := range c.Ports {
		if int(p.ContainerPort) == port {
			return true
		}
	}
	return false
}
