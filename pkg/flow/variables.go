// SPDX-License-Identifier: Apache-2.0

package flow

import (
	"maps"
	"strconv"

	"github.com/clusterctl/clusterctl/pkg/manifest"
)

// DefaultKubernetesVersion is the version of a workload cluster for which nobody named one: the one that this
// program is tested with.
const DefaultKubernetesVersion = "v1.34.4"

// clusterTopology is the variable that switches on ClusterClasses in the providers' components.
const clusterTopology = "CLUSTER_TOPOLOGY"

// lookup finds the values of variables: what the command line says, then environment and configuration,
// then the defaults that a template may rely on.
func (c *Create) lookup() manifest.Lookup {
	configured := c.host.Config.Lookup(c.flagValues())
	defaults := map[string]string{
		"KUBERNETES_VERSION":          DefaultKubernetesVersion,
		"CONTROL_PLANE_MACHINE_COUNT": "1",
		"WORKER_MACHINE_COUNT":        "0",
	}
	return func(name string) (string, bool) {
		if v, ok := configured(name); ok {
			return v, true
		}
		v, ok := defaults[name]
		return v, ok
	}
}

// flagValues are the variables that the command line sets.
func (c *Create) flagValues() map[string]string {
	in := c.record.Inputs
	out := maps.Clone(c.opts.Set)
	if out == nil {
		out = map[string]string{}
	}
	for name, v := range map[string]string{"CLUSTER_NAME": c.record.Name, "NAMESPACE": c.record.Namespace} {
		if v != "" {
			out[name] = v
		}
	}
	if in.KubernetesVersion != "" {
		out["KUBERNETES_VERSION"] = in.KubernetesVersion
	}
	if in.ControlPlaneMachineCount != nil {
		out["CONTROL_PLANE_MACHINE_COUNT"] = strconv.FormatInt(*in.ControlPlaneMachineCount, 10)
	}
	if in.WorkerMachineCount != nil {
		out["WORKER_MACHINE_COUNT"] = strconv.FormatInt(*in.WorkerMachineCount, 10)
	}
	return out
}

// componentLookup is lookup for the providers' components. A cluster with a topology needs the ClusterTopology
// feature, which the providers' YAML leaves off: where nobody decided, it is on for such a cluster.
func (c *Create) componentLookup(p *plan) manifest.Lookup {
	next := c.lookup()
	return func(name string) (string, bool) {
		v, ok := next(name)
		if !ok && name == clusterTopology && p.usesTopology() {
			return "true", true
		}
		return v, ok
	}
}
