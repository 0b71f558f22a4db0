// SPDX-License-Identifier: Apache-2.0

// Package layout names the files of one local bootstrap cluster and reads and writes the
// JSON ones. It knows what is where, not what it is for.
package layout

import (
	"path/filepath"
)

// Dir is the directory of one bootstrap cluster.
type Dir string

// Root is the directory that holds all bootstrap clusters of a state directory.
func Root(state string) string { return filepath.Join(state, "bootstraps") }

// In is the directory of the bootstrap cluster called name.
func In(state, name string) Dir { return Dir(filepath.Join(Root(state), name)) }

// Name is the bootstrap's name.
func (d Dir) Name() string { return filepath.Base(string(d)) }

// Root is the directory that holds this one and its siblings.
func (d Dir) Root() string { return filepath.Dir(string(d)) }

func (d Dir) join(elem ...string) string {
	return filepath.Join(append([]string{string(d)}, elem...)...)
}

// Meta is the marker that makes the directory a bootstrap: who it is.
func (d Dir) Meta() string { return d.join("bootstrap.json") }

// Config is what the supervisor shall run.
func (d Dir) Config() string { return d.join("config.json") }

// Status is what the supervisor says that it runs.
func (d Dir) Status() string { return d.join("status.json") }

// Ports is the table of ports.
func (d Dir) Ports() string { return d.join("ports.json") }

// Webhooks lists the ports that webhooks are called at.
func (d Dir) Webhooks() string { return d.join("webhooks.json") }

// Serving holds the certificates of webhook servers.
func (d Dir) Serving() string { return d.join("pki", "serving") }

// PortsLock guards the Ports of all bootstraps.
func (d Dir) PortsLock() string { return filepath.Join(d.Root(), "ports.lock") }

// EnsureLock is held while a command starts, stops or deletes the bootstrap.
func (d Dir) EnsureLock() string { return d.join("ensure.lock") }

// SupervisorLock is held by the supervisor as long as it lives.
func (d Dir) SupervisorLock() string { return d.join("supervisor.lock") }

// Kubeconfig is the admin kubeconfig.
func (d Dir) Kubeconfig() string { return d.join("kubeconfig") }

// Etcd is etcd's data directory.
func (d Dir) Etcd() string { return d.join("etcd") }

// PKI holds keys and certificates.
func (d Dir) PKI() string { return d.join("pki") }

// Logs holds a log file per process.
func (d Dir) Logs() string { return d.join("logs") }

// Log is the log file of a process of the control plane, or of the supervisor.
func (d Dir) Log(process string) string { return d.join("logs", process+".log") }

// PodLog is the log file of one container; an empty container is the Deployment's first one.
func (d Dir) PodLog(namespace, deployment, container string) string {
	name := namespace + "_" + deployment
	if container != "" {
		name += "_" + container
	}
	return d.Log(name)
}

// Pods holds a directory per Deployment that runs.
func (d Dir) Pods() string { return d.join("pods") }

// Pod is the private directory of one Deployment's processes.
func (d Dir) Pod(namespace, deployment string) string {
	return d.join("pods", namespace+"_"+deployment)
}
