// SPDX-License-Identifier: Apache-2.0

package supervisor

import (
	"bytes"
	"context"
	"crypto/tls"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/clusterctl/clusterctl/pkg/bootstrap/internal/pods"
	"github.com/clusterctl/clusterctl/pkg/bootstrap/local/internal/pod"
	"github.com/clusterctl/clusterctl/pkg/bootstrap/local/internal/ports"
	"github.com/clusterctl/clusterctl/pkg/bootstrap/local/internal/proc"
	"github.com/clusterctl/clusterctl/pkg/pki"
)

// helpTimeout bounds a program's answer to --help.
const helpTimeout = 20 * time.Second

// containerImage is a container's image on this host.
type containerImage struct {
	pod.Image
	root, work string
}

// workDir is the image's working directory, or another if it has none.
func (i containerImage) workDir(other string) string {
	if i.work == "" {
		return other
	}
	dir := filepath.Join(i.root, filepath.Clean("/"+i.work))
	if info, err := os.Stat(dir); err != nil || !info.IsDir() {
		return other
	}
	return dir
}

// containerImage gets the image and asks its program for its flags.
func (k *kubelet) containerImage(ctx context.Context, c *corev1.Container) (containerImage, error) {
	img, err := k.images.Get(ctx, c.Image, c.ImagePullPolicy == corev1.PullAlways)
	if err != nil {
		return containerImage{}, err
	}
	argv, fixed, err := img.Program(c.Command, c.Args)
	if err != nil {
		return containerImage{}, fmt.Errorf("image %s: %w", c.Image, err)
	}
	flags, err := img.Flags(ctx, argv[:fixed], k.help)
	if err != nil {
		return containerImage{}, fmt.Errorf("image %s: %w", c.Image, err)
	}
	work := c.WorkingDir
	if work == "" {
		work = img.Config.WorkingDir
	}
	return containerImage{
		Image: pod.Image{Start: argv[:fixed], Args: argv[fixed:], Env: img.Config.Env, Flags: flags},
		root:  img.Root, work: work,
	}, nil
}

// help runs a program for its help text; whatever its exit code, what it prints counts.
func (k *kubelet) help(ctx context.Context, argv []string) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, helpTimeout)
	defer cancel()
	var out bytes.Buffer
	cmd := exec.Command(argv[0], argv[1:]...) //nolint:noctx // It is ended below.
	cmd.Env = append(pick(k.environ, "PATH"), proc.Marker+"="+string(k.dir))
	cmd.Dir, cmd.Stdout, cmd.Stderr, cmd.WaitDelay = string(k.dir), &out, &out, outputDelay
	if err := k.spawner.Start(cmd); err != nil {
		return nil, err
	}
	exited := waiter(cmd)
	select {
	case <-exited:
		return out.Bytes(), nil
	case <-ctx.Done():
		_ = proc.SignalGroup(cmd.Process.Pid, syscall.SIGKILL)
		<-exited
		return nil, fmt.Errorf("ask %s for --help: no answer: %w", argv[0], ctx.Err())
	}
}

// containerProbes takes over the container's probes, and adds that its webhooks must answer.
func (k *kubelet) containerProbes(cmd *command, c *corev1.Container, p *pod.Pod, used map[int]int) error {
	var ready []probe
	if r := hostProbe(c.ReadinessProbe, c, used); r != nil {
		ready = append(ready, r)
	}
	trust, err := k.certs.ca.TLS(pki.Pair{})
	if err != nil {
		return err
	}
	for port := range p.Promised {
		if host, ok := used[port]; ok {
			ready = append(ready, tlsDial(host, trust))
		}
	}
	cmd.probe = all(ready...)
	cmd.alive = hostProbe(c.LivenessProbe, c, used)
	return nil
}

// hostProbe translates a probe; those that run commands in the container have no translation.
func hostProbe(p *corev1.Probe, c *corev1.Container, used map[int]int) probe {
	switch {
	case p == nil:
	case p.HTTPGet != nil:
		scheme, cfg := "http", (*tls.Config)(nil)
		if p.HTTPGet.Scheme == corev1.URISchemeHTTPS {
			scheme, cfg = "https", &tls.Config{InsecureSkipVerify: true}
		}
		return httpGet(scheme+"://"+ports.Address(hostPort(p.HTTPGet.Port, c, used))+"/"+trimSlash(p.HTTPGet.Path), cfg)
	case p.TCPSocket != nil:
		return tcpDial(hostPort(p.TCPSocket.Port, c, used))
	}
	return nil
}

func trimSlash(path string) string {
	if path != "" && path[0] == '/' {
		return path[1:]
	}
	return path
}

// hostPort is the port of this host that the process was told; one that it wasn't told it still listens on.
func hostPort(port intstr.IntOrString, c *corev1.Container, used map[int]int) int {
	number := port.IntValue()
	for _, cp := range c.Ports {
		if port.Type == intstr.String && cp.Name == port.StrVal {
			number = int(cp.ContainerPort)
		}
	}
	if host, ok := used[number]; ok {
		return host
	}
	return number
}

// reader reads what pods refer to.
type reader struct{ client *pods.Client }

func (r reader) Secret(ctx context.Context, namespace, name string) (map[string][]byte, error) {
	s, err := r.client.Secret(ctx, namespace, name)
	if err != nil {
		return nil, missing(err, "Secret", namespace, name)
	}
	return s.Data, nil
}

func (r reader) ConfigMap(ctx context.Context, namespace, name string) (map[string][]byte, error) {
	cm, err := r.client.ConfigMap(ctx, namespace, name)
	if err != nil {
		return nil, missing(err, "ConfigMap", namespace, name)
	}
	data := make(map[string][]byte, len(cm.Data)+len(cm.BinaryData))
	for key, value := range cm.Data {
		data[key] = []byte(value)
	}
	for key, value := range cm.BinaryData {
		data[key] = value
	}
	return data, nil
}

func missing(err error, kind, namespace, name string) error {
	if apierrors.IsNotFound(err) {
		return fmt.Errorf("%s %s/%s: %w", kind, namespace, name, pod.ErrNotFound)
	}
	return fmt.Errorf("read %s %s/%s: %w", kind, namespace, name, err)
}
