// SPDX-License-Identifier: Apache-2.0

package supervisor

import (
	"context"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"

	"github.com/clusterctl/clusterctl/pkg/bootstrap/local/internal/pod"
	"github.com/clusterctl/clusterctl/pkg/bootstrap/local/internal/ports"
	"github.com/clusterctl/clusterctl/pkg/pki"
)

// pod makes the private directory of a Deployment: identity, ports.
func (k *kubelet) pod(ctx context.Context, d *appsv1.Deployment, c *corev1.Container) (*pod.Pod, error) {
	p := &pod.Pod{
		Deployment: d, Dir: k.dir.Pod(d.Namespace, d.Name), IP: k.meta.PodIP, Reader: reader{k.client},
		Ports: map[int]int{}, Promised: map[int]string{},
		NewPort: func(flag string) (int, error) {
			key := ports.Pod(d.Namespace, d.Name, c.Name+"--"+flag)
			t, _, err := ports.Free(ctx, k.dir, key)
			return t[key], err
		},
	}
	p.Kubeconfig = filepath.Join(p.Dir, "kubeconfig")
	if err := os.MkdirAll(p.Dir, 0o700); err != nil {
		return nil, err
	}
	if err := k.identity(d, p.Kubeconfig); err != nil {
		return nil, err
	}
	return p, k.assignPorts(ctx, d, c, p)
}

// identity writes a kubeconfig for the Deployment's service account: its RBAC rules are in force.
func (k *kubelet) identity(d *appsv1.Deployment, file string) error {
	account := pod.ServiceAccount(d)
	user := "system:serviceaccount:" + d.Namespace + ":" + account
	pair, err := k.certs.ca.Issue(pki.Request{
		CommonName: user, Client: true,
		Organizations: []string{"system:serviceaccounts", "system:serviceaccounts:" + d.Namespace},
	})
	if err != nil {
		return err
	}
	t, err := ports.Read(k.dir)
	if err != nil {
		return err
	}
	return writeKubeconfig(file, k.dir.Name(), user, "https://"+ports.Address(t[apiserverName]), k.certs.ca.PEM, pair)
}

// assignPorts gives each container port a port of this host. Those that Prepare gave out are what webhooks call.
// Only this container's own ports may move: the others' processes may be listening on theirs.
func (k *kubelet) assignPorts(ctx context.Context, d *appsv1.Deployment, c *corev1.Container, p *pod.Pod) error {
	own, others, err := k.containerPorts(d, c)
	if err != nil {
		return err
	}
	if _, err := ports.Ensure(ctx, k.dir, slices.Collect(maps.Keys(others))...); err != nil {
		return err
	}
	t, moved, err := ports.Free(ctx, k.dir, slices.Collect(maps.Keys(own))...)
	if err != nil {
		return err
	}
	promised, err := ports.Promised(k.dir)
	if err != nil {
		return err
	}
	maps.Copy(others, own)
	for key, port := range others {
		p.Ports[port] = t[key]
		if slices.Contains(promised, key) {
			p.Promised[port] = key[strings.LastIndexByte(key, '/')+1:]
		}
	}
	return k.repairWebhooks(ctx, moved, t)
}

// containerPorts are the Deployment's container ports by their keys: those of one container, and the rest.
func (k *kubelet) containerPorts(d *appsv1.Deployment, c *corev1.Container) (own, others map[string]int, err error) {
	own, others = map[string]int{}, map[string]int{}
	containers := d.Spec.Template.Spec.Containers
	for i := range containers {
		into := others
		if containers[i].Name == c.Name {
			into = own
		}
		for _, cp := range containers[i].Ports {
			if cp.Protocol == "" || cp.Protocol == corev1.ProtocolTCP {
				into[ports.Pod(d.Namespace, d.Name, ports.PortName(cp))] = int(cp.ContainerPort)
			}
		}
	}
	// Ports that a Service targets by number need no declaration; they count as the first container's.
	table, err := ports.Read(k.dir)
	if err != nil {
		return nil, nil, err
	}
	into := others
	if containers[0].Name == c.Name {
		into = own
	}
	for key := range table {
		name, ok := strings.CutPrefix(key, ports.Pod(d.Namespace, d.Name, ""))
		if number, err := strconv.Atoi(name); ok && err == nil && own[key] == 0 && others[key] == 0 {
			into[key] = number
		}
	}
	return own, others, nil
}
