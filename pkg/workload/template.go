// SPDX-License-Identifier: Apache-2.0

package workload

import (
	"strconv"

	"k8s.io/apimachinery/pkg/util/version"

	"github.com/clusterctl/clusterctl/pkg/fault"
	"github.com/clusterctl/clusterctl/pkg/manifest"
	"github.com/clusterctl/clusterctl/pkg/naming"
)

// The variables that every cluster template can count on.
const (
	VarClusterName         = "CLUSTER_NAME"
	VarNamespace           = "NAMESPACE"
	VarKubernetesVersion   = "KUBERNETES_VERSION"
	VarControlPlaneMachine = "CONTROL_PLANE_MACHINE_COUNT"
	VarWorkerMachine       = "WORKER_MACHINE_COUNT"
)

// TemplateInput is what a person says about a cluster that comes from a template.
type TemplateInput struct {
	// Name is the cluster's name, a DNS subdomain; required.
	Name string
	// Namespace is a DNS label; required.
	Namespace string
	// KubernetesVersion is a semantic version such as v1.34.1; empty: KUBERNETES_VERSION of the environment or the configuration.
	KubernetesVersion string
	// ControlPlaneMachines is at least 1; nil: CONTROL_PLANE_MACHINE_COUNT of the environment or the configuration, else 1.
	ControlPlaneMachines *int64
	// WorkerMachines is at least 0; nil: WORKER_MACHINE_COUNT of the environment or the configuration, else 0.
	WorkerMachines *int64
}

// TemplateValues returns the values of the variables that every template can use, with the meaning and the defaults that they
// have for upstream's `generate cluster`. lookup knows the environment and the configuration; it may be nil. All faults come
// in one error of class fault.Usage.
func TemplateValues(in TemplateInput, lookup manifest.Lookup) (map[string]string, error) {
	var faults fault.List
	out := map[string]string{VarClusterName: in.Name, VarNamespace: in.Namespace}
	faults.Add(naming.Subdomain("cluster name", in.Name))
	faults.Add(naming.Label("namespace", in.Namespace))
	if in.KubernetesVersion != "" {
		if _, err := version.ParseSemantic(in.KubernetesVersion); err != nil {
			faults.Add(fault.Usagef("Kubernetes version %q: a version like v1.34.1 is wanted", in.KubernetesVersion))
		}
		out[VarKubernetesVersion] = in.KubernetesVersion
	}
	faults.Add(count(out, VarControlPlaneMachine, in.ControlPlaneMachines, 1, 1, lookup))
	faults.Add(count(out, VarWorkerMachine, in.WorkerMachines, 0, 0, lookup))
	if err := faults.Err(); err != nil {
		return nil, err
	}
	return out, nil
}

// count puts a number of machines into out: the one given, else the variable's own value, else byDefault.
func count(out map[string]string, variable string, given *int64, byDefault, least int64, lookup manifest.Lookup) error {
	n := byDefault
	switch text, set := look(lookup, variable); {
	case given != nil:
		n = *given
	case set:
		var err error
		if n, err = strconv.ParseInt(text, 10, 64); err != nil {
			return fault.Usagef("%s: a whole number is wanted", variable)
		}
	}
	if n < least {
		return fault.Usagef("%s is %d: at least %d is wanted", variable, n, least)
	}
	out[variable] = strconv.FormatInt(n, 10)
	return nil
}

func look(lookup manifest.Lookup, name string) (string, bool) {
	if lookup == nil {
		return "", false
	}
	return lookup(name)
}
