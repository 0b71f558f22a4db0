// SPDX-License-Identifier: Apache-2.0

package kubeconfig

import (
	"errors"
	"fmt"
	"strings"

	"github.com/clusterctl/clusterctl/pkg/capi"
	"github.com/clusterctl/clusterctl/pkg/kube"
)

const valueKey = capi.KubeconfigSecretKey

// What can be told apart when there is no kubeconfig to hand out; see also [ErrMalformed].
var (
	// ErrNoCluster says that there is no Cluster of that name in the namespace; a [*NoClusterError] says where there is one.
	ErrNoCluster = errors.New("no such cluster")
	// ErrNoNamespace says that the namespace doesn't exist.
	ErrNoNamespace = errors.New("no such namespace")
	// ErrNotInstalled says that the server has no Cluster API at all.
	ErrNotInstalled = capi.ErrNotInstalled
	// ErrNotReady says that the Cluster is there and its Secret is not yet; see [*NotReadyError].
	ErrNotReady = errors.New("kubeconfig not there yet")
	// ErrForbidden says that the user may not read the Secret.
	ErrForbidden = kube.ErrForbidden
)

// NoClusterError says where a cluster was looked for and where one of that name exists.
type NoClusterError struct {
	Namespace, Name string
	// NoNamespace says that not even the namespace exists.
	NoNamespace bool
	// Elsewhere are the namespaces that hold a cluster of that name, sorted.
	Elsewhere []string
	// Unknown says that other namespaces could not be searched for want of rights.
	Unknown bool
	// Present are the names of some clusters in the namespace, sorted.
	Present []string
}

// Is makes errors.Is true for ErrNoCluster, and for ErrNoNamespace if the namespace is missing.
func (e *NoClusterError) Is(target error) bool {
	return target == ErrNoCluster || e.NoNamespace && target == ErrNoNamespace
}

// Error says it in one line.
func (e *NoClusterError) Error() string {
	text := fmt.Sprintf("no cluster %q in namespace %s", e.Name, e.Namespace)
	if e.NoNamespace {
		text = fmt.Sprintf("cluster %q not found: namespace %q does not exist", e.Name, e.Namespace)
	}
	switch {
	case len(e.Elsewhere) == 1:
		text += ", but there is one in namespace " + e.Elsewhere[0]
	case len(e.Elsewhere) > 1:
		text += ", but there are some in namespaces " + strings.Join(e.Elsewhere, ", ")
	case len(e.Present) > 0:
		text += ", which holds " + strings.Join(e.Present, ", ")
	}
	if e.Unknown {
		text += " (no rights to look into other namespaces)"
	}
	return text
}

func (e *NoClusterError) hint() string {
	switch len(e.Elsewhere) {
	case 0:
		return "clusterctl get clusters -A lists what there is"
	case 1:
		return fmt.Sprintf("clusterctl get kubeconfig %s -n %s", e.Name, e.Elsewhere[0])
	}
	return "say which one: -n " + strings.Join(e.Elsewhere, " or -n ")
}

// NotReadyError says that a cluster exists whose kubeconfig does not, yet.
type NotReadyError struct {
	Namespace, Name, Secret string
	// Phase is the phase of the Cluster, "" if it has none.
	Phase string
	// Waiting says what the Cluster still waits for, "" if it doesn't tell.
	Waiting string
	// Deleting says that the Cluster is on its way out, so that no kubeconfig will come.
	Deleting bool
}

// Is makes errors.Is(err, ErrNotReady) true.
func (e *NotReadyError) Is(target error) bool { return target == ErrNotReady }

// Error says it in one line.
func (e *NotReadyError) Error() string {
	if e.Deleting {
		return fmt.Sprintf("cluster %s/%s is being deleted and its kubeconfig secret %s is not available any more", e.Namespace, e.Name, e.Secret)
	}
	return fmt.Sprintf("cluster %s/%s exists, but its kubeconfig secret %s is not there yet (%s)", e.Namespace, e.Name, e.Secret, e.state())
}

func (e *NotReadyError) state() string {
	phase := "no phase yet"
	if e.Phase != "" {
		phase = "phase " + e.Phase
	}
	if e.Waiting == "" {
		return phase
	}
	return phase + "; " + e.Waiting
}
