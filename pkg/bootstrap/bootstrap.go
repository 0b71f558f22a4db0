// SPDX-License-Identifier: Apache-2.0

package bootstrap

import (
	"context"
	"errors"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/clusterctl/clusterctl/pkg/event"
)

// Type is a kind of bootstrap cluster.
type Type string

// The kinds of bootstrap clusters.
const (
	// Kind is a kind cluster: its nodes are containers of Docker, Podman or nerdctl on this host.
	Kind Type = "kind"
	// Local is a control plane of processes on this host, providers as processes too.
	Local Type = "local"
	// Existing is a cluster that was there before and stays: never created, never deleted.
	Existing Type = "existing"
)

// ErrUnsupported says that this kind of bootstrap can't be had on this host.
var ErrUnsupported = errors.New("unsupported on this host")

// ErrMissing says that there is no such bootstrap cluster, or no longer.
var ErrMissing = errors.New("it isn't there any more")

// Cluster is one bootstrap cluster. All methods are safe to call from several
// processes at once: an implementation locks what must not happen twice.
type Cluster interface {
	// Type says which kind it is.
	Type() Type
	// Name is its name, unique among the bootstraps of its type and user.
	Name() string
	// Ensure makes the cluster, or brings it back; one that runs is left alone.
	// When it returns nil the API server answers and Kubeconfig is valid.
	// When it fails, nothing that it started is left running.
	Ensure(ctx context.Context, sink event.Sink) error
	// BringBack is Ensure for one that holds something: it never makes a new, empty one in its place. If it isn't there when all
	// others are done with it, it returns ErrMissing.
	BringBack(ctx context.Context, sink event.Sink) error
	// Kubeconfig is the path of the admin kubeconfig (mode 0600), valid after Ensure.
	// It may be empty for existing clusters: then kubectl's usual rules say which file.
	Kubeconfig() string
	// Prepare rewrites provider components for this kind of cluster; the input is not changed.
	Prepare(objs []*unstructured.Unstructured) ([]*unstructured.Unstructured, error)
	// Logs returns the last lines (at most lines of them) that a controller's Deployment logged.
	Logs(ctx context.Context, namespace, deployment string, lines int) ([]string, error)
	// Status looks at the cluster; a cluster that isn't there has the state Missing and no error.
	Status(ctx context.Context) (Status, error)
	// Delete stops everything in order and removes the state; for existing clusters it does nothing.
	// Deleting what isn't there, or is half deleted, succeeds.
	Delete(ctx context.Context, sink event.Sink) error
}

// State is what a bootstrap cluster does as a whole.
type State string

// The states of a bootstrap cluster.
const (
	// Running means that the API server answers and every process that should run does.
	Running State = "running"
	// Starting means that it is on its way up.
	Starting State = "starting"
	// Stopped means that its state is kept and no process runs.
	Stopped State = "stopped"
	// Degraded means that some of it doesn't run; Status.Detail says what.
	Degraded State = "degraded"
	// Missing means that there is no such bootstrap cluster.
	Missing State = "missing"
)

// Status is a look at a bootstrap cluster.
type Status struct {
	// State is the sum of it.
	State State `json:"state"`
	// Detail says in one line why the state isn't Running; it may be empty.
	Detail string `json:"detail,omitempty"`
	// Processes are the processes of a local cluster, control plane first, then providers by name.
	Processes []Process `json:"processes,omitempty"`
}

// Process is one process of a local bootstrap cluster.
type Process struct {
	// Name is "etcd", "kube-apiserver", "kube-controller-manager", or "namespace/deployment".
	Name string `json:"name"`
	// PID is its process id; 0 when it doesn't run.
	PID int `json:"pid,omitempty"`
	// Ready says that its health endpoint answers.
	Ready bool `json:"ready"`
	// Restarts counts how often it was started again after it had ended by itself.
	Restarts int `json:"restarts,omitempty"`
	// Since is when it was last started; zero when it doesn't run.
	Since time.Time `json:"since,omitzero"`
	// Message says why it isn't ready: exit code, last log line, pull error. It may be empty.
	Message string `json:"message,omitempty"`
	// Log is the path of its log file.
	Log string `json:"log,omitempty"`
	// Provider says that it stands for a Deployment.
	Provider bool `json:"provider,omitempty"`
}

// Info is one line of a listing of bootstrap clusters.
type Info struct {
	// Name and Type identify the bootstrap.
	Name string `json:"name"`
	Type Type   `json:"type"`
	// State and Detail are as in Status.
	State  State  `json:"state"`
	Detail string `json:"detail,omitempty"`
	// Endpoint is the URL of its API server; empty before the first start.
	Endpoint string `json:"endpoint,omitempty"`
	// KubernetesVersion is the version of its control plane, for example "v1.34.4".
	KubernetesVersion string `json:"kubernetesVersion,omitempty"`
	// Kubeconfig is the path of its admin kubeconfig.
	Kubeconfig string `json:"kubeconfig,omitempty"`
	// Providers are the controllers that run in it, as "namespace/deployment".
	Providers []string `json:"providers,omitempty"`
	// Created is when it was made.
	Created time.Time `json:"created,omitzero"`
	// Dir is the directory that holds its state.
	Dir string `json:"dir,omitempty"`
	// Nodes are the containers of a kind cluster.
	Nodes []string `json:"nodes,omitempty"`
	// SupervisorPID is the process that keeps it running; 0 when stopped.
	SupervisorPID int `json:"supervisorPid,omitempty"`
}
