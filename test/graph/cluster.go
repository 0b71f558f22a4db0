// SPDX-License-Identifier: Apache-2.0

package graph

import (
	"fmt"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// ObjectsPerCluster is how many objects Cluster makes.
const ObjectsPerCluster = 29

// Cluster makes the 29 objects of one running cluster: three control plane Machines, two workers, with what belongs to them. Six have a
// status, eleven have finalizers. Owners come before what they own; owner references have no UIDs, see [Load].
func Cluster(namespace, name, version string) []*unstructured.Unstructured {
	c := &maker{namespace: namespace, cluster: name, version: version}
	cluster := c.add(Core, "Cluster", name, nil, map[string]any{
		"infrastructureRef":    c.ref(Infrastructure, "PondCluster", name),
		"controlPlaneRef":      c.ref(ControlPlane, "KubeadmControlPlane", name+"-cp"),
		"controlPlaneEndpoint": map[string]any{"host": "10.0.0.1", "port": int64(6443)},
	})
	c.status(cluster, map[string]any{
		"phase": "Provisioned", "infrastructureReady": true, "controlPlaneReady": true,
		"initialization": map[string]any{"infrastructureProvisioned": true, "controlPlaneInitialized": true},
		"conditions": []any{
			condition("ControlPlaneInitialized"), condition("InfrastructureReady"), condition("Available"),
		},
	})
	cluster.SetFinalizers([]string{"cluster.cluster.x-k8s.io"})
	c.add(Infrastructure, "PondCluster", name, cluster, map[string]any{"depth": int64(12), "subnets": []any{"10.0.0.0/24", "10.0.1.0/24"}})
	cp := c.add(ControlPlane, "KubeadmControlPlane", name+"-cp", cluster, map[string]any{
		"replicas": int64(3), "version": "v1.34.4",
		"machineTemplate": map[string]any{"infrastructureRef": c.ref(Infrastructure, "PondMachineTemplate", name+"-cp")},
	})
	c.add(Infrastructure, "PondMachineTemplate", name+"-cp", cluster, template(4))
	c.add(Infrastructure, "PondMachineTemplate", name+"-md", cluster, template(2))
	c.add(Bootstrap, "KubeadmConfigTemplate", name+"-md", cluster, map[string]any{"template": map[string]any{"spec": kubeadm()}})
	md := c.add(Core, "MachineDeployment", name+"-md", cluster, c.machines(2))
	ms := c.add(Core, "MachineSet", name+"-md-x7k2p", md, c.machines(2))
	c.add(Core, "MachineHealthCheck", name+"-mhc", cluster, map[string]any{"clusterName": name, "selector": map[string]any{"matchLabels": map[string]any{"a": "b"}}})
	for i := range 3 {
		c.machine(fmt.Sprintf("%s-cp-%d", name, i), cp)
	}
	for i := range 2 {
		c.machine(fmt.Sprintf("%s-md-%d", name, i), ms)
	}
	for _, s := range []string{"kubeconfig", "ca", "etcd", "sa", "proxy"} {
		c.secret(name+"-"+s, cluster)
	}
	return c.objs
}

type maker struct {
	namespace, cluster, version string
	objs                        []*unstructured.Unstructured
}

func (c *maker) add(group, kind, name string, owner *unstructured.Unstructured, spec map[string]any) *unstructured.Unstructured {
	u := &unstructured.Unstructured{Object: map[string]any{"spec": spec}}
	u.SetAPIVersion(group + "/" + c.version)
	u.SetKind(kind)
	u.SetNamespace(c.namespace)
	u.SetName(name)
	u.SetLabels(map[string]string{"cluster.x-k8s.io/cluster-name": c.cluster})
	u.SetAnnotations(map[string]string{"example.com/team": "pond"})
	own(u, owner)
	c.objs = append(c.objs, u)
	return u
}

func own(u, owner *unstructured.Unstructured) {
	if owner == nil {
		return
	}
	refs, _, _ := unstructured.NestedSlice(u.Object, "metadata", "ownerReferences")
	refs = append(refs, map[string]any{
		"apiVersion": owner.GetAPIVersion(), "kind": owner.GetKind(), "name": owner.GetName(), "controller": len(refs) == 0, "blockOwnerDeletion": true,
	})
	_ = unstructured.SetNestedSlice(u.Object, refs, "metadata", "ownerReferences")
}

func (c *maker) ref(group, kind, name string) map[string]any {
	if c.version == Version {
		return map[string]any{"apiGroup": group, "kind": kind, "name": name}
	}
	return map[string]any{"apiVersion": group + "/" + c.version, "kind": kind, "name": name, "namespace": c.namespace}
}

func (c *maker) status(u *unstructured.Unstructured, s map[string]any) { u.Object["status"] = s }

func condition(t string) map[string]any {
	return map[string]any{"type": t, "status": "True", "reason": t, "message": "", "lastTransitionTime": "2030-01-01T00:00:00Z"}
}

func template(depth int64) map[string]any {
	return map[string]any{"template": map[string]any{"spec": map[string]any{"depth": depth, "image": "reed-1"}}}
}

func kubeadm() map[string]any {
	return map[string]any{
		"joinConfiguration": map[string]any{"nodeRegistration": map[string]any{"kubeletExtraArgs": map[string]any{"eviction-hard": "nodefs.available<0%"}}},
		"files":             []any{map[string]any{"path": "/etc/motd", "content": "the pond is deep\n", "permissions": "0644"}},
	}
}

func (c *maker) machines(n int64) map[string]any {
	return map[string]any{
		"clusterName": c.cluster, "replicas": n,
		"template": map[string]any{"spec": map[string]any{
			"clusterName": c.cluster, "version": "v1.34.4",
			"bootstrap":         map[string]any{"configRef": c.ref(Bootstrap, "KubeadmConfigTemplate", c.cluster+"-md")},
			"infrastructureRef": c.ref(Infrastructure, "PondMachineTemplate", c.cluster+"-md"),
		}},
	}
}

// machine adds a Machine with its bootstrap and infrastructure objects.
func (c *maker) machine(name string, owner *unstructured.Unstructured) {
	m := c.add(Core, "Machine", name, owner, map[string]any{
		"clusterName": c.cluster, "version": "v1.34.4", "providerID": "pond:///" + name,
		"bootstrap":         map[string]any{"configRef": c.ref(Bootstrap, "KubeadmConfig", name), "dataSecretName": name},
		"infrastructureRef": c.ref(Infrastructure, "PondMachine", name),
	})
	c.status(m, map[string]any{
		"phase": "Running", "nodeRef": map[string]any{"name": name},
		"initialization": map[string]any{"bootstrapDataSecretCreated": true, "infrastructureProvisioned": true},
		"conditions":     []any{condition("Ready"), condition("InfrastructureReady"), condition("BootstrapConfigReady")},
	})
	m.SetFinalizers([]string{"machine.cluster.x-k8s.io"})
	c.add(Bootstrap, "KubeadmConfig", name, m, kubeadm())
	p := c.add(Infrastructure, "PondMachine", name, m, map[string]any{"depth": int64(4), "providerID": "pond:///" + name})
	p.SetFinalizers([]string{"pondmachine.infrastructure.cluster.x-k8s.io"})
}

func (c *maker) secret(name string, owner *unstructured.Unstructured) {
	u := &unstructured.Unstructured{Object: map[string]any{
		"type": "cluster.x-k8s.io/secret", "data": map[string]any{"value": "dGhlIHBvbmQgaXMgZGVlcAo="},
	}}
	u.SetAPIVersion("v1")
	u.SetKind("Secret")
	u.SetNamespace(c.namespace)
	u.SetName(name)
	u.SetLabels(map[string]string{"cluster.x-k8s.io/cluster-name": c.cluster})
	own(u, owner)
	c.objs = append(c.objs, u)
}
